internal import CLinux
internal import Glibc
internal import TransferModel

extension Lane {
    /// The lane's connection, made and logged in where there is none that stands.
    func sftpConnection(_ assignment: Assignment) async throws -> SFTPConnection {
        if let kept = sftp, kept.isAlive { return kept }
        sftp = nil
        var description = ServerDescription()
        let connection = try await openSFTP(assignment, noting: &description)
        sftp = connection
        return connection
    }

    /// Connects, makes sure of the server, and logs in; what is learned on the way is noted.
    func openSFTP(
        _ assignment: Assignment, noting description: inout ServerDescription
    ) async throws -> SFTPConnection {
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
            try check(session, trust, &description)
            description.add("login", "as \(login.user) with \(try login.run(on: session))")
            try session.openSubsystem("sftp")
            let connection = SFTPConnection(session, socket: socket)
            try await connection.begin(on: self)
            return connection
        } catch let error as SSHError {
            try checkStop()
            throw Failure(connecting: error, to: origin)
        }
    }

    private func check(
        _ session: SSHSession, _ trust: HostTrust, _ description: inout ServerDescription
    ) throws {
        description.add("server", ForeignText.clean(session.serverName))
        description.add("key exchange", session.keyExchange)
        description.add("cipher", session.cipher)
        guard let key = HostKey(session: session.session) else { throw SSHError(session: session.session) }
        description.add("host key", "\(key.type) \(key.fingerprint)")
        guard let refusal = trust.refusal(of: key) else { return }
        throw Failure(.permanent, scope: .login, text: "connecting to \(origin): \(refusal)")
    }
}
