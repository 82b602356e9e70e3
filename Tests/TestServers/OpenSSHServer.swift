import Glibc

/// A real sshd for SFTP only, with throw-away keys.
///
/// It never runs as root, since sshd then wants a system user and /run/sshd: started by root it runs, and logs in, as
/// `nobody`.
public final class OpenSSHServer: Sendable {
    /// The kinds of host keys.
    public enum HostKey: String, Sendable, CaseIterable {
        case ed25519, ecdsa, rsa
    }

    /// How the user may log in.
    public enum Login: Sendable {
        case key
        /// With the key or with `password`; only where root starts the server (`canTakePasswords`).
        case keyOrPassword
        /// With `password` alone.
        case password
    }

    public let process: ServerProcess
    /// The directory to transfer to and from, where a session begins; a path in a URL is absolute.
    public let home: String
    /// The only user who may log in.
    public let user: String
    /// The user's password, where it may log in with one.
    public let password = "correct horse"
    /// A known_hosts file with all of the server's keys for `[127.0.0.1]:PORT`.
    public let knownHosts: String
    private let place: String
    private let directory: TemporaryDirectory

    private init(
        process: ServerProcess, place: String, home: String, user: String, directory: TemporaryDirectory
    ) {
        self.process = process
        self.home = home
        self.user = user
        self.directory = directory
        self.place = place
        knownHosts = "\(place)/known_hosts"
    }

    /// Whether this process may start a server that takes passwords: root that may mount in a name space of its own,
    /// which containers often do not let it.
    public static let canTakePasswords: Bool = ServerProgram.isRoot && mayMountForItself()

    private static func mayMountForItself() -> Bool {
        let words = ["unshare", "--mount", "--", "mount", "--bind", "/dev/null", "/etc/shadow"]
        var arguments: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) } + [nil]
        defer { for argument in arguments { free(argument) } }
        var child = pid_t()
        var status: Int32 = -1
        guard posix_spawnp(&child, "unshare", nil, nil, &arguments, environ) == 0 else { return false }
        while waitpid(child, &status, 0) < 0, errno == EINTR {}
        return status == 0
    }

    public var port: UInt16 { process.port }
    /// `sftp://USER@127.0.0.1:PORT` with the home directory's path: append `/NAME`.
    public var url: String { "sftp://\(user)@127.0.0.1:\(port)\(home)" }
    /// The line of a netrc file that lets a client in with the password.
    public var netrc: String { "machine 127.0.0.1:\(port) login \(user) password \"\(password)\"" }
    /// The client's private key (ed25519, no passphrase), and its public key.
    public var clientKey: String { "\(place)/client" }
    public var clientPublicKey: String { "\(place)/client.pub" }
    /// The keys that let the user in, one a line; read at each login.
    public var authorizedKeys: String { "\(place)/authorized_keys" }
    /// The server's own ed25519 public key.
    public var hostPublicKey: String { hostPublicKey(.ed25519) }

    /// One of the server's own public keys; made for each kind, used for those that it was started with.
    public func hostPublicKey(_ kind: HostKey) -> String { "\(place)/host-\(kind.rawValue).pub" }

    /// The fingerprint of one of the server's keys, `SHA256:…`.
    public func fingerprint(_ kind: HostKey = .ed25519) async throws -> String {
        let printed = try await ChildProcess.run([
            "ssh-keygen", "-l", "-E", "sha256", "-f", hostPublicKey(kind),
        ])
        guard let found = printed.text.split(separator: " ").first(where: { $0.hasPrefix("SHA256:") }) else {
            throw TestServerError("ssh-keygen -l: \(printed.errorText)")
        }
        return String(found)
    }

    /// - Parameters:
    ///   - hostKeys: the keys that it offers.
    ///   - extra: more lines for sshd_config.
    public static func start(
        in directory: TemporaryDirectory, hostKeys: [HostKey] = [.ed25519], login: Login = .key,
        extra: [String] = []
    ) async throws -> OpenSSHServer {
        let program = try ServerProgram.path("sshd")
        let place = try ServerProgram.makeServed("ssh", in: directory)
        let home = try ServerProgram.makeServed("sftp", in: directory)
        try await makeKeys(in: place)
        let identity = try await identity(for: login, in: directory)
        let process = try await ServerProcess.start("sshd", in: directory) { port in
            // The first line for a key wins.
            let lines = extra + base(port: port, place: place, home: home, login: login)
            let all = lines + hostKeys.map { "HostKey \(place)/host-\($0.rawValue)" }
            let file = try directory.write(all.joined(separator: "\n") + "\n", to: "sshd-\(port).conf")
            return identity + [program, "-D", "-e", "-f", file]
        }
        let known = hostKeys.map {
            "[127.0.0.1]:\(process.port) \(TestFile.text("\(place)/host-\($0.rawValue).pub"))"
        }
        try TestFile.write(Array(known.joined().utf8), to: "\(place)/known_hosts")
        return OpenSSHServer(
            process: process, place: place, home: home, user: try ServerProgram.servedUser,
            directory: directory)
    }

    /// Stops the server by its process id.
    public func stop() async { await process.stop() }

    private static func makeKeys(in place: String) async throws {
        let kinds = HostKey.allCases.map { (name: "host-\($0.rawValue)", type: $0.rawValue) }
        for key in kinds + [(name: "client", type: "ed25519")] {
            let made = try await ChildProcess.run(
                ["ssh-keygen", "-q", "-t", key.type, "-N", "", "-C", key.name, "-f", "\(place)/\(key.name)"])
            guard made.succeeded else { throw TestServerError("ssh-keygen: \(made.errorText)") }
            if key.name != "client" { try ServerProgram.giveToServer("\(place)/\(key.name)") }
        }
        try TestFile.write(TestFile.read("\(place)/client.pub"), to: "\(place)/authorized_keys")
    }

    private static func base(port: UInt16, place: String, home: String, login: Login) -> [String] {
        let passwords =
            switch login {
            case .key: ["UsePAM yes", "PasswordAuthentication no"]
            case .keyOrPassword: ["UsePAM no", "PasswordAuthentication yes"]
            case .password: ["UsePAM no", "PasswordAuthentication yes", "PubkeyAuthentication no"]
            }
        return passwords + [
            "Port \(port)", "ListenAddress 127.0.0.1", "PidFile none",
            "AuthorizedKeysFile \(place)/authorized_keys", "StrictModes no",
            "KbdInteractiveAuthentication no", "UseDNS no", "MaxStartups 200", "PrintMotd no",
            "Subsystem sftp internal-sftp -d \(home)", "ForceCommand internal-sftp -d \(home)",
        ]
    }

    /// What the command line begins with: who the server is, and which passwords it sees.
    private static func identity(for login: Login, in directory: TemporaryDirectory) async throws -> [String]
    {
        let ids = ServerProgram.servedIdentity
        let person =
            ServerProgram.isRoot
            ? ["setpriv", "--reuid=\(ids.user)", "--regid=\(ids.group)", "--clear-groups", "--"] : []
        switch login {
        case .key: return person
        case .keyOrPassword, .password:
            guard canTakePasswords else {
                throw TestServerError("sshd takes no passwords here unless root started it")
            }
            // In a name space of its own the server has a shadow file of its own.
            let digest = try await ServerProgram.digest(ofPassword: "correct horse")
            let shadow = try directory.write(
                "\(try ServerProgram.servedUser):\(digest):19000:0:99999:7:::\n", to: "shadow", mode: 0o600)
            try ServerProgram.giveToServer(shadow)
            return [
                "unshare", "--mount", "--", "sh", "-c", "mount --bind \(shadow) /etc/shadow && exec \"$@\"",
                "sh",
            ]
                + person
        }
    }
}
