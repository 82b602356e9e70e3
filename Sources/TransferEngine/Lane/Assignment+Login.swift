internal import TransferModel

extension Assignment {
    /// Throws when the address names a user for whom there is no password, or when the data cannot go the way that its
    /// origin has: before anything is connected.
    func requireLogin() throws(Failure) {
        if job.origin.scheme == .sftp {
            _ = try SSHLogin(self)
            return
        }
        if [.ftp, .ftps].contains(job.origin.scheme) {
            try DataConnectionConfiguration.require(origin, isSecured: isSecuredFTP)
        }
        guard case .missing(let user) = login else { return }
        let host = job.origin.host
        throw Failure(
            .permanent, scope: .login,
            text: "the credentials file has no entry for \(user)@\(host): add "
                + "'machine \(host) login \(user) password …'")
    }

    private var isSecuredFTP: Bool { job.origin.scheme == .ftps || origin.tls == .require }

    /// How requests to a web server are made and which answers are good: the job's wishes before its route's before its
    /// origin's.
    var request: RequestWishes { job.requestWishes(route: route, origin: origin) }

    /// Whether a password goes along with the requests.
    var sendsPassword: Bool {
        switch login {
        case .credentials: true
        case .anonymous, .missing: false
        }
    }

    /// How a download is fetched: the job's wishes before its route's before its origin's.
    var fetch: FetchWishes {
        let own: FetchWishes? =
            switch job.description {
            case .download(let download): download.fetch
            case .upload, .form, .remote: nil
            }
        return (own ?? FetchWishes()).or(route?.fetch).or(origin.fetch)
    }

    /// How an upload or a download is put into place: the job's wishes before its route's before its origin's.
    var delivery: DeliveryWishes {
        let own: DeliveryWishes? =
            switch job.description {
            case .upload(let upload): upload.delivery
            case .download(let download): download.delivery
            case .form, .remote: nil
            }
        return (own ?? DeliveryWishes()).or(route?.delivery).or(origin.delivery)
    }
}
