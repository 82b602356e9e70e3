internal import CLinux
internal import Glibc
internal import TransferModel

extension Lane {
    /// The lane's connection, made and logged in where there is none that stands.
    func sftpConnection(_ assignment: Assignment) async throws -> SFTPConnection {
        if let kept = sftp, kept.isAlive { return kept }
        sftp = nil
        let connection = try await openSFTP(assignment)
        sftp = connection
        return connection
    }

    private func openSFTP(_ assignment: Assignment) async throws -> SFTPConnection {
        let login = try SSHLogin(assignment)
        let trust = try HostTrust(origin, assignment.origin.trust, assignment.places)
        let socket = try await connectSocket()
        do {
            // The session closes its descriptor by itself, and the lane's must not be closed but under its lock.
            let copy = transferd_fcntl(socket.descriptor, F_DUPFD_CLOEXEC, 0)
            guard copy >= 0 else { throw SSHError(SystemError.text(errno)) }
            let session = SSHSession(
                descriptor: copy, host: origin.host, user: login.user, algorithms: trust.algorithms,
                patience: originSettings.connectTimeout)
            try session.connect()
            try check(session, trust)
            try login.run(on: session)
            try session.openSubsystem("sftp")
            let connection = SFTPConnection(session, socket: socket)
            try await connection.begin(on: self)
            return connection
        } catch let error as SSHError {
            try checkStop()
            throw Failure(connecting: error, to: origin)
        }
    }

    private func check(_ session: SSHSession, _ trust: HostTrust) throws {
        guard let key = HostKey(session: session.session) else { throw SSHError(session: session.session) }
        guard let refusal = trust.refusal(of: key) else { return }
        throw Failure(.permanent, scope: .login, text: "connecting to \(origin): \(refusal)")
    }
}
