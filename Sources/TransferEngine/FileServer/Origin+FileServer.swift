internal import TransferModel

extension Origin {
    /// Who speaks the origin's protocol.
    func fileServer(for assignment: Assignment, limit: Duration? = nil) -> any FileServer {
        switch scheme {
        case .ftp, .ftps: FTPServer(assignment, limit: limit)
        case .sftp: SFTPServer(assignment, limit: limit)
        case .http, .https: WebServer(assignment, limit: limit)
        }
    }
}
