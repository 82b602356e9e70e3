/// A real proftpd with one user who logs in with a password.
public final class ProftpdServer: Sendable {
    public enum TLS: Sendable {
        case off
        /// AUTH TLS demanded for commands and data; the data connection must reuse the session (the default).
        case explicit
        /// TLS from the first byte on; session reuse demanded as well.
        case implicit
    }

    public let process: ServerProcess
    /// The directory that the user sees as its own.
    public let home: String
    /// proftpd's own log, and every command with its reply's code beside it in ``commands``.
    public let log: String
    public var commands: String { "\(log).commands" }
    public let user = "transfer"
    public let password = "correct horse"
    private let directory: TemporaryDirectory

    private init(process: ServerProcess, home: String, log: String, directory: TemporaryDirectory) {
        self.process = process
        self.home = home
        self.log = log
        self.directory = directory
    }

    public var port: UInt16 { process.port }
    /// `ftp://transfer@127.0.0.1:PORT`, without the password.
    public var url: String { "ftp://\(user)@127.0.0.1:\(port)" }
    /// The line of a netrc file that lets a client in.
    public var netrc: String { "machine 127.0.0.1:\(port) login \(user) password \"\(password)\"" }

    /// - Parameter extra: more lines for proftpd.conf, after the others.
    public static func start(
        in directory: TemporaryDirectory, tls: TLS = .off, extra: [String] = []
    ) async throws -> ProftpdServer {
        let program = try ServerProgram.path("proftpd")
        let certificates = tls == .off ? nil : try await TestCertificates.make(in: directory)
        let home = try ServerProgram.makeServed("proftpd", in: directory)
        let log = directory.appending("proftpd.log")
        let users = try await writeUsers(in: directory, home: home)
        let process = try await ServerProcess.start("proftpd", in: directory) { port in
            var lines = base(port: port, users: users, directory: directory)
            if let certificates { lines += secured(by: certificates, implicit: tls == .implicit, log: log) }
            let file = try directory.write(
                (lines + extra).joined(separator: "\n") + "\n", to: "proftpd-\(port).conf")
            return [program, "-n", "-q", "-c", file]
        }
        return ProftpdServer(process: process, home: home, log: log, directory: directory)
    }

    /// Stops the server by its process id.
    public func stop() async { await process.stop() }

    /// The password file: mode 0600, in a directory that only its owner may write.
    private static func writeUsers(in directory: TemporaryDirectory, home: String) async throws -> String {
        let digest = try await ServerProgram.digest(ofPassword: "correct horse")
        let ids = ServerProgram.servedIdentity
        return try directory.write(
            "transfer:\(digest):\(ids.user):\(ids.group)::\(home):/bin/sh\n", to: "proftpd.users", mode: 0o600
        )
    }

    private static func base(port: UInt16, users: String, directory: TemporaryDirectory) -> [String] {
        [
            "ServerType standalone", "ServerName test", "DefaultAddress 127.0.0.1", "Port \(port)",
            "SocketBindTight on", "UseIPv6 off", "UseReverseDNS off",
            "ModulePath \(ServerProgram.unpackedRoot)/usr/lib/proftpd",
            "PidFile \(directory.appending("proftpd.pid"))", "ScoreboardFile none",
            "SystemLog \(directory.appending("proftpd.log"))", "LogFormat commands \"%P %r -> %s %S\"",
            "ExtendedLog \(directory.appending("proftpd.log.commands")) ALL commands", "TransferLog none",
            "WtmpLog off",
            "<IfModule mod_ctrls.c>", "ControlsEngine off", "</IfModule>",
            "<IfModule mod_lang.c>", "LangEngine off", "UseEncoding off", "</IfModule>",
            "<IfModule mod_delay.c>", "DelayEngine off", "</IfModule>",
            "AuthOrder mod_auth_file.c", "AuthUserFile \(users)", "RequireValidShell off", "UseFtpUsers off",
            "AllowOverwrite on", "AllowStoreRestart on", "AllowRetrieveRestart on", "Umask 022",
            "MaxInstances 200", "TimesGMT on",
        ] + (ServerProgram.isRoot ? ["User nobody", "Group nogroup", "DefaultRoot ~"] : [])
    }

    private static func secured(by certificates: TestCertificates, implicit: Bool, log: String) -> [String] {
        [
            "LoadModule mod_tls.c", "TLSEngine on", "TLSRequired on", "TLSProtocol TLSv1.2 TLSv1.3",
            "TLSRSACertificateFile \(certificates.certificate)",
            "TLSRSACertificateKeyFile \(certificates.key)",
            "TLSLog \(log).tls",
        ] + (implicit ? ["TLSOptions UseImplicitSSL"] : [])
    }
}
