internal import CCurl
internal import TransferModel

/// Logs in anew and learns what an FTP server is and can, as far as it lets itself be asked.
struct FTPProbe {
    let assignment: Assignment

    private var origin: Origin { assignment.job.origin }
    private var usesTLS: Bool { origin.scheme == .ftps || assignment.origin.tls == .require }

    func describe(on lane: isolated Lane) async throws(Stop) -> ServerDescription {
        var description = ServerDescription()
        let watch = FTPWatch()
        let answer = try await greet(watch, lane)
        description.add("server", "\(origin)")
        if let greeting = watch.said(220) { description.add("greeting", greeting) }
        if let system = watch.said(215) { description.add("system", system) }
        let features = ServerFeatures(lines: watch.features.lines)
        let security = SecurityReport(
            usesTLS: usesTLS, way: origin.scheme == .ftps ? "implicit" : "AUTH TLS",
            observer: watch.handshakes, now: .now())
        security.report(into: &description)
        description.failure = failure(answer)
        if let failure = description.failure {
            security.advise(on: failure, answer, settings: assignment.origin, into: &description)
            return description
        }
        description.add("login", login)
        lane.memory.features = features
        FTPFeatureReport(features).report(into: &description)
        security.advise(features: features, sendsPassword: assignment.sendsPassword, into: &description)
        try await tryData(lane, &description)
        return description
    }

    private func greet(_ watch: FTPWatch, _ lane: isolated Lane) async throws(Stop) -> Answer {
        var request = Request(url: origin.root)
        request.commands = ["*SYST", "*FEAT"].map { Array($0.utf8) }
        request.set(.noBody, true)
        request.set(.freshConnect, true)
        watch.leavesBeforeLogin = !canLogIn
        watch.expectsUpgrade = origin.scheme == .ftp && usesTLS
        watch.look(at: &request)
        return try await lane.perform(request)
    }

    private var canLogIn: Bool {
        switch assignment.login {
        case .anonymous, .credentials: true
        case .missing: false
        }
    }

    private func failure(_ answer: Answer) -> Failure? {
        do throws(Failure) {
            if answer.wasRefused { try assignment.requireLogin() }
        } catch {
            return error
        }
        return answer.error == nil ? nil : Failure(answer, doing: "logging in to \(origin)")
    }

    private var login: String {
        switch assignment.login {
        case .credentials(let credentials): "as \(ForeignText.clean(credentials.user.utf8))"
        case .anonymous, .missing: "as anonymous"
        }
    }

    /// Lists a directory, which takes a data connection.
    private func tryData(_ lane: isolated Lane, _ description: inout ServerDescription) async throws(Stop) {
        let watch = FTPWatch()
        let home = RemotePath(isAbsolute: false, names: [])
        do {
            let listing = try await FTPListing(origin: origin, path: home, watch: watch).read(on: lane)
            let way = watch.passiveCommand.map { "\($0), " } ?? "active, "
            let count = listing.entries.count
            description.add(
                "data", "\(way)\(count) \(count == 1 ? "name" : "names") in the login's directory")
            if !listing.unreadable.isEmpty {
                description.add("unreadable", "\(listing.unreadable.count) lines of that list")
            }
        } catch let stop as Stop {
            throw stop
        } catch {
            let failure = error as? Failure ?? Failure(.local, text: "\(error)")
            description.failure = failure
            description.advice += FTPDataAdvice.sentences(failure, settings: assignment.origin.data)
        }
        if usesTLS, let data = watch.handshakes.handshakes.last {
            description.add(
                "session",
                data.isResumed ? "resumed for the data connection" : "not resumed for the data connection")
        }
        if watch.passiveCommand == "PASV", assignment.origin.data.extended {
            description.advice.append(
                "The server has no EPSV that works: 'epsv = no' saves a round trip a file.")
        }
    }
}
