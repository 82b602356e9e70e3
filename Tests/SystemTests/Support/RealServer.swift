import Glibc
import TestServers

/// One of the real servers that files are sent to, and what an installation has to know of it.
struct RealServer: Sendable {
    enum Kind: String, CaseIterable, Sendable {
        case vsftpd
        case vsftpdTLS = "vsftpd TLS"
        case proftpd
        case proftpdTLS = "proftpd TLS"
        case pureFTPd = "pure-ftpd"
        case pureFTPdTLS = "pure-ftpd TLS"
        case pyftpdlib
        case pyftpdlibTLS = "pyftpdlib TLS"
        case openSSH = "OpenSSH"
        case nginx
        /// With temporary names, as the next one.
        case nginxDAV = "nginx WebDAV"
        case apache = "Apache"
        case rclone

        /// Those that this user can start.
        static var possible: [Kind] {
            allCases.filter { PureFTPdServer.isPossible || ($0 != .pureFTPd && $0 != .pureFTPdTLS) }
        }

        var isWeb: Bool {
            switch self {
            case .nginx, .nginxDAV, .apache, .rclone: true
            case .vsftpd, .vsftpdTLS, .proftpd, .proftpdTLS, .pureFTPd, .pureFTPdTLS, .pyftpdlib,
                .pyftpdlibTLS,
                .openSSH:
                false
            }
        }

        /// How much each connection may send a second: so that a file can be met half way.
        static let bytesPerSecond = 20_000_000
    }

    let kind: Kind
    let process: ServerProcess
    /// The directory below which uploads arrive.
    let home: String
    /// `SCHEME://[USER@]127.0.0.1:`, what an address begins with before its port, and what follows it.
    let beforePort: String
    let afterPort: String
    /// What is written down of commands and replies.
    let log: String
    /// Lines for the `[origin]` section.
    let origin: [String]
    /// The line of a credentials file without its port; nil: no password.
    let login: String?

    /// The address of the home directory; append `/NAME`.
    var url: String { url(port: process.port) }

    /// The same through a relay that listens at `port`.
    func url(port: UInt16) -> String { "\(beforePort)\(port)\(afterPort)" }

    /// A section for everything at 127.0.0.1.
    func section(_ more: [String] = []) -> String {
        (["[origin tested]", "match = 127.0.0.1"] + origin + more).joined(separator: "\n")
    }

    /// Gives the installation the password, for this server and for relays to it at `ports`.
    func writeCredentials(_ installation: Installation, ports: [UInt16] = []) throws {
        guard let login else { return }
        let lines = ([process.port] + ports).map { "machine 127.0.0.1:\($0) \(login)\n" }
        try TestFile.write(Array(lines.joined().utf8), to: "\(installation.state)/netrc", mode: 0o600)
    }

    func stop() async { await process.stop() }

    // MARK: What is there

    /// The last lines of the log, for messages.
    var logTail: String {
        "\nthe server's log ends:\n"
            + TestFile.text(log).split(separator: "\n").suffix(30).joined(separator: "\n")
    }

    /// Puts a file there that a client may replace.
    func place(_ content: [UInt8], named name: String) throws {
        let path = "\(home)/\(name)"
        try TestFile.write(content, to: path, mode: 0o666)
        var status = stat()
        guard stat(home, &status) == 0, chown(path, status.st_uid, status.st_gid) == 0 else {
            throw TestServerError("chown \(path): \(String(cString: strerror(errno)))")
        }
    }

    /// How much of a file is there under a temporary name; nil: nothing.
    func sizeOfPart(of name: String) -> Int? {
        let names = (try? TestFile.names(in: home)) ?? []
        let part = names.first { $0.starts(with: Array(".\(name).".utf8)) }
        return part.flatMap { TestFile.size("\(home)/\(String(decoding: $0, as: UTF8.self))") }
    }
}

extension RealServer {
    /// Starts a server; `limited`: each connection takes no more than ``Kind/bytesPerSecond``, where it has such a limit.
    static func start(
        _ kind: Kind, in directory: TemporaryDirectory, limited: Bool = false
    ) async throws -> RealServer {
        switch kind {
        case .vsftpd, .vsftpdTLS:
            let server = try await VsftpdServer.start(
                in: directory, tls: kind == .vsftpd ? .off : .explicit,
                bytesPerSecond: limited ? Kind.bytesPerSecond : nil)
            return ftp(kind, server.process, server.home, server.log, in: directory)
        case .proftpd, .proftpdTLS:
            let server = try await ProftpdServer.start(
                in: directory, tls: kind == .proftpd ? .off : .explicit,
                extra: limited ? ["TransferRate STOR \(Kind.bytesPerSecond / 1024)"] : [])
            return ftp(
                kind, server.process, server.home, server.commands, in: directory, user: server.user,
                password: server.password)
        case .pureFTPd, .pureFTPdTLS:
            let server = try await PureFTPdServer.start(
                in: directory, tls: kind == .pureFTPd ? .off : .explicit,
                extra: limited ? ["-T", "\(Kind.bytesPerSecond / 1024)"] : [])
            return ftp(
                kind, server.process, server.home, server.log, in: directory, user: server.user,
                password: server.password)
        case .pyftpdlib, .pyftpdlibTLS:
            let server = try await PyftpdlibServer.start(
                in: directory, tls: kind == .pyftpdlib ? .off : .explicit, extra: limited ? slowReading : [])
            return ftp(
                kind, server.process, server.home, server.log, in: directory, user: server.user,
                password: server.password)
        case .openSSH:
            let server = try await OpenSSHServer.start(in: directory)
            return RealServer(
                kind: kind, process: server.process, home: server.home,
                beforePort: "sftp://\(server.user)@127.0.0.1:", afterPort: server.home,
                log: server.process.output,
                origin: ["host_key = \(try await server.fingerprint())", "identity = \(server.clientKey)"],
                login: nil)
        case .nginx: return web(kind, try await WebDAVServer.start(.nginxPlain, in: directory))
        case .nginxDAV: return web(kind, try await WebDAVServer.start(.nginx, in: directory))
        case .apache: return web(kind, try await WebDAVServer.start(.apache, in: directory))
        case .rclone: return web(kind, try await WebDAVServer.start(.rclone, in: directory))
        }
    }

    private static func web(_ kind: Kind, _ server: WebDAVServer) -> RealServer {
        let isNamed = kind == .nginxDAV || kind == .apache
        return RealServer(
            kind: kind, process: server.process, home: server.home, beforePort: "http://127.0.0.1:",
            afterPort: "", log: server.log,
            origin: isNamed ? ["temp_name = .{name}.{id}.part"] : [], login: nil)
    }

    private static func ftp(
        _ kind: Kind, _ process: ServerProcess, _ home: String, _ log: String,
        in directory: TemporaryDirectory,
        user: String? = nil, password: String = ""
    ) -> RealServer {
        let isSecure = [.vsftpdTLS, .proftpdTLS, .pureFTPdTLS, .pyftpdlibTLS].contains(kind)
        return RealServer(
            kind: kind, process: process, home: home,
            beforePort: "ftp://\(user.map { "\($0)@" } ?? "")127.0.0.1:",
            afterPort: "", log: log,
            origin: isSecure ? ["tls = require", "ca_file = \(directory.appending("tls/ca.pem"))"] : [],
            login: user.map { "login \($0) password \"\(password)\"" })
    }

    /// pyftpdlib's own limit knows no TLS: each piece that is read costs its time, for all connections.
    private static let slowReading = [
        "import time",
        "class Slow(handler.dtp_handler):",
        "    def recv(self, size):",
        "        chunk = super().recv(size)",
        "        time.sleep(len(chunk) / \(Kind.bytesPerSecond))",
        "        return chunk",
        "handler.dtp_handler = Slow",
    ]
}
