/// A real FTP server on Python's pyftpdlib with one user who logs in with a password.
///
/// One process and one thread for all connections, so that a slow one holds up the others; it serves as the user who
/// starts it.
public final class PyftpdlibServer: Sendable {
    public enum TLS: Sendable {
        case off
        /// AUTH TLS demanded for commands and data.
        case explicit
    }

    public let process: ServerProcess
    /// The directory that the user sees as its own.
    public let home: String
    public let user = "transfer"
    public let password = "correct horse"
    private let directory: TemporaryDirectory

    private init(process: ServerProcess, home: String, directory: TemporaryDirectory) {
        self.process = process
        self.home = home
        self.directory = directory
    }

    public var port: UInt16 { process.port }
    /// Every command and reply, as pyftpdlib logs it.
    public var log: String { process.output }
    /// `ftp://transfer@127.0.0.1:PORT`, without the password.
    public var url: String { "ftp://\(user)@127.0.0.1:\(port)" }
    /// The line of a netrc file that lets a client in.
    public var netrc: String { "machine 127.0.0.1:\(port) login \(user) password \"\(password)\"" }

    /// - Parameter extra: more lines of Python, where `handler` is the class and `server` the object to change.
    public static func start(
        in directory: TemporaryDirectory, tls: TLS = .off, extra: [String] = []
    ) async throws -> PyftpdlibServer {
        let certificates = tls == .off ? nil : try await TestCertificates.make(in: directory)
        let home = try directory.makeDirectory("pyftpdlib")
        let process = try await ServerProcess.start("pyftpdlib", in: directory) { port in
            let lines = script(port: port, home: home, certificates: certificates) + extra
            let text = (lines + ["server.serve_forever()"]).joined(separator: "\n") + "\n"
            // Debian's own Python: the packages are not seen by another one that may come first in PATH.
            return ["/usr/bin/python3", "-u", try directory.write(text, to: "pyftpdlib-\(port).py")]
        }
        return PyftpdlibServer(process: process, home: home, directory: directory)
    }

    /// Stops the server by its process id.
    public func stop() async { await process.stop() }

    private static func script(
        port: UInt16, home: String, certificates: TestCertificates?
    ) -> [String] {
        [
            "import logging",
            "from pyftpdlib.authorizers import DummyAuthorizer",
            "from pyftpdlib.handlers import FTPHandler" + (certificates == nil ? "" : ", TLS_FTPHandler"),
            "from pyftpdlib.servers import FTPServer",
            "logging.basicConfig(level=logging.DEBUG)",
            "users = DummyAuthorizer()",
            "users.add_user('transfer', 'correct horse', '\(home)', perm='elradfmwMT')",
            "handler = \(certificates == nil ? "FTPHandler" : "TLS_FTPHandler")",
            "handler.authorizer = users",
            "handler.use_gmt_times = True",
        ] + secured(by: certificates) + [
            "server = FTPServer(('127.0.0.1', \(port)), handler)",
            "server.max_cons = 200",
        ]
    }

    private static func secured(by certificates: TestCertificates?) -> [String] {
        guard let certificates else { return [] }
        return [
            "handler.certfile = '\(certificates.certificate)'", "handler.keyfile = '\(certificates.key)'",
            "handler.tls_control_required = True", "handler.tls_data_required = True",
        ]
    }
}
