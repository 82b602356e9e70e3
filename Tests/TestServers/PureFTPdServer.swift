/// A real pure-ftpd with one user of its own database who logs in with a password.
///
/// Only root can start it: in another user's hands it takes the password and then refuses the login (`isPossible`).
public final class PureFTPdServer: Sendable {
    public enum TLS: Sendable {
        case off
        /// AUTH TLS demanded for commands and data.
        case explicit
    }

    public let process: ServerProcess
    /// The directory that the user sees as its own.
    public let home: String
    /// One line for each file that came or went, in the form of web servers.
    public let log: String
    public let user = "transfer"
    public let password = "correct horse"
    private let directory: TemporaryDirectory

    private init(process: ServerProcess, home: String, log: String, directory: TemporaryDirectory) {
        self.process = process
        self.home = home
        self.log = log
        self.directory = directory
    }

    /// Whether this process may start one.
    public static var isPossible: Bool { ServerProgram.isRoot }

    public var port: UInt16 { process.port }
    /// `ftp://transfer@127.0.0.1:PORT`, without the password.
    public var url: String { "ftp://\(user)@127.0.0.1:\(port)" }
    /// The line of a netrc file that lets a client in.
    public var netrc: String { "machine 127.0.0.1:\(port) login \(user) password \"\(password)\"" }

    /// - Parameter extra: more arguments for pure-ftpd, after the others.
    public static func start(
        in directory: TemporaryDirectory, tls: TLS = .off, extra: [String] = []
    ) async throws -> PureFTPdServer {
        guard isPossible else { throw TestServerError("pure-ftpd lets nobody in unless root started it") }
        let program = try ServerProgram.path("pure-ftpd")
        let certificates = tls == .off ? nil : try await TestCertificates.make(in: directory)
        let home = try ServerProgram.makeServed("pure-ftpd", in: directory)
        let log = directory.appending("pure-ftpd.log")
        let users = try await writeUsers(in: directory, home: home)
        let process = try await ServerProcess.start("pure-ftpd", in: directory) { port in
            let secured =
                certificates.map { ["-Y", "3", "-2", "\($0.certificate),\($0.key)"] } ?? ["-Y", "0"]
            return [program] + base(port: port, users: users, directory: directory) + secured + extra
        }
        return PureFTPdServer(process: process, home: home, log: log, directory: directory)
    }

    /// Stops the server by its process id.
    public func stop() async { await process.stop() }

    /// The user database: made from a line in the form of passwd(5), whose digest is quickly computed.
    private static func writeUsers(in directory: TemporaryDirectory, home: String) async throws -> String {
        let digest = try await ServerProgram.digest(ofPassword: "correct horse")
        let ids = ServerProgram.servedIdentity
        let text = try directory.write(
            "transfer:\(digest):\(ids.user):\(ids.group)::\(home)/./::::::::::::\n", to: "pure-ftpd.passwd",
            mode: 0o600)
        let database = directory.appending("pure-ftpd.pdb")
        let made = try await ChildProcess.run([
            try ServerProgram.path("pure-pw"), "mkdb", database, "-f", text,
        ])
        guard made.succeeded else { throw TestServerError("pure-pw: \(made.errorText)") }
        return database
    }

    private static func base(port: UInt16, users: String, directory: TemporaryDirectory) -> [String] {
        [
            "-4", "-S", "127.0.0.1,\(port)", "-l", "puredb:\(users)", "-A", "-E", "-H", "-u", "1",
            "-U", "133:022", "-c", "200", "-C", "200", "-f", "none",
            "-g", directory.appending("pure-ftpd-\(port).pid"),
            "-O", "clf:\(directory.appending("pure-ftpd.log"))",
        ]
    }
}
