/// A real sshd for SFTP only, with throw-away keys.
///
/// It never runs as root, since sshd then wants a system user and /run/sshd: started by root it runs, and logs in, as
/// `nobody`.
public final class OpenSSHServer: Sendable {
    public let process: ServerProcess
    /// The directory to transfer to and from; a path in a URL is absolute.
    public let home: String
    /// The only user who may log in.
    public let user: String
    /// The client's private key and public key.
    public let clientKey: String
    public let clientPublicKey: String
    /// A known_hosts file with the server's key for `[127.0.0.1]:PORT`.
    public let knownHosts: String
    /// The server's own public key.
    public let hostPublicKey: String
    private let directory: TemporaryDirectory

    private init(
        process: ServerProcess, place: String, home: String, user: String, directory: TemporaryDirectory
    ) {
        self.process = process
        self.home = home
        self.user = user
        self.directory = directory
        clientKey = "\(place)/client"
        clientPublicKey = "\(place)/client.pub"
        knownHosts = "\(place)/known_hosts"
        hostPublicKey = "\(place)/host.pub"
    }

    public var port: UInt16 { process.port }
    /// `sftp://USER@127.0.0.1:PORT` with the home directory's path: append `/NAME`.
    public var url: String { "sftp://\(user)@127.0.0.1:\(port)\(home)" }

    /// - Parameter extra: more lines for sshd_config.
    public static func start(
        in directory: TemporaryDirectory, extra: [String] = []
    ) async throws -> OpenSSHServer {
        let program = try ServerProgram.path("sshd")
        let place = try ServerProgram.makeServed("ssh", in: directory)
        let home = try ServerProgram.makeServed("sftp", in: directory)
        let ids = ServerProgram.servedIdentity
        for name in ["host", "client"] {
            let made = try await ChildProcess.run(
                ["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", name, "-f", "\(place)/\(name)"])
            guard made.succeeded else { throw TestServerError("ssh-keygen: \(made.errorText)") }
        }
        try ServerProgram.giveToServer("\(place)/host")
        let process = try await ServerProcess.start("sshd", in: directory) { port in
            let lines = base(port: port, place: place) + extra
            let file = try directory.write(lines.joined(separator: "\n") + "\n", to: "sshd-\(port).conf")
            let identity =
                ServerProgram.isRoot
                ? ["setpriv", "--reuid=\(ids.user)", "--regid=\(ids.group)", "--clear-groups", "--"] : []
            return identity + [program, "-D", "-e", "-f", file]
        }
        let hostKey = TestFile.text("\(place)/host.pub")
        try TestFile.write(
            Array("[127.0.0.1]:\(process.port) \(hostKey)".utf8), to: "\(place)/known_hosts")
        return OpenSSHServer(
            process: process, place: place, home: home, user: try ServerProgram.servedUser,
            directory: directory)
    }

    /// Stops the server by its process id.
    public func stop() async { await process.stop() }

    private static func base(port: UInt16, place: String) -> [String] {
        [
            "Port \(port)", "ListenAddress 127.0.0.1", "HostKey \(place)/host", "PidFile none", "UsePAM yes",
            "AuthorizedKeysFile \(place)/client.pub", "StrictModes no", "PasswordAuthentication no",
            "KbdInteractiveAuthentication no", "UseDNS no", "MaxStartups 200", "PrintMotd no",
            "Subsystem sftp internal-sftp", "ForceCommand internal-sftp",
        ]
    }
}
