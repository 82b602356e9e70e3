import FoundationEssentials
import Glibc
import TestServers
import Testing

extension RealServer.Kind {
    /// Those that libcurl gets data from: pyftpdlib ends TLS data connections that are greeted before their command.
    fileprivate static var listing: [Self] { possible.filter { $0 != .pyftpdlibTLS && $0 != .nginx } }
}

/// `transferctl remote` with a daemon and real servers.
@Suite struct RemoteTests {
    /// A line of `ls --json`.
    private struct Entry: Decodable {
        let name: String
        let type: String
        let size: Int?
        let modified: String?
    }

    func withServer(
        _ kind: RealServer.Kind, general: [String] = [], more: [String] = [],
        _ body: (Installation, RealServer, TemporaryDirectory) async throws -> Void
    ) async throws {
        try await withTemporaryDirectory { directory in
            let server = try await RealServer.start(kind, in: directory)
            let installation = try Installation(directory, general: general, sections: server.section(more))
            try server.writeCredentials(installation)
            let daemon = try await installation.startDaemon()
            try await body(installation, server, directory)
            try await daemon.sigterm()
            await server.stop()
        }
    }

    func results(_ installation: Installation) throws -> [String] {
        try TestFile.names(in: "\(installation.state)/results").map { String(decoding: $0, as: UTF8.self) }
    }

    @Test(arguments: RealServer.Kind.listing)
    func `what is at a server is listed, made, moved, read and removed`(kind: RealServer.Kind) async throws {
        try await withServer(kind) { installation, server, directory in
            func remote(_ words: String...) async throws -> ChildProcess.Completed {
                try await installation.control(["remote"] + words)
            }
            func expect(_ status: Int32, _ words: String..., says: String = "") async throws {
                let done = try await installation.control(["remote"] + words)
                #expect(done.status == .exited(status), "\(words): \(done.text)\(done.errorText)")
                #expect(done.text == says, "\(words): \(done.errorText)")
                #expect(done.errorText.isEmpty == (status == 0), "\(words): \(done.errorText)")
            }
            let url = server.url
            try await expect(0, "mkdir", "\(url)/a%20b")
            try await expect(1, "mkdir", "\(url)/a%20b")
            try await expect(0, "mkdir", "-p", "\(url)/a%20b/deep/%23er")
            try await expect(0, "mkdir", "-p", "\(url)/a%20b")
            try await expect(0, "ls", "\(url)/a%20b/deep/%23er/")
            try server.place(Array("hello\n".utf8), named: "a b/one #1")
            try await expect(0, "ls", "\(url)/a%20b/", says: "deep\none #1\n")
            try await expect(0, "ls", "\(url)/a%20b/one%20%231", says: "one #1\n")
            try await expect(1, "ls", "\(url)/a%20b/missing/")
            try await expect(0, "get", "\(url)/a%20b/one%20%231", says: "hello\n")
            try await expect(0, "mv", "\(url)/a%20b/one%20%231", "two words")
            try await expect(0, "mv", "\(url)/a%20b/two%20words", "deep/#er/")
            try server.place([1], named: "a b/deep/taken")
            #expect(TestFile.text("\(server.home)/a b/deep/#er/two words") == "hello\n")
            try await expect(1, "mv", "\(url)/a%20b/deep/taken", "#er/two words")
            #expect(TestFile.text("\(server.home)/a b/deep/#er/two words") == "hello\n")
            let long = try await remote("ls", "-l", "\(url)/a%20b/deep/%23er/")
            #expect(long.text.hasPrefix("-") && long.text.contains("  6  "), "\(long.text)\(long.errorText)")
            #expect(long.text.hasSuffix("  two words\n"))
            let json = try await remote("ls", "--json", "\(url)/a%20b/deep/")
            let entries = try json.output.split(separator: 10).map {
                try JSONDecoder().decode(Entry.self, from: Data($0))
            }
            #expect(entries.first { $0.name == "#er" }?.type == "directory")
            #expect(entries.first { $0.name == "taken" }?.size == 1)
            #expect(entries.count == 2)
            try await expect(1, "rm", "\(url)/a%20b/deep")
            try await expect(1, "rm", "\(url)/a%20b/missing")
            try await expect(1, "rmdir", "\(url)/a%20b/deep")
            for file in ["%23er/two%20words", "taken"] {
                try await expect(0, "rm", "\(url)/a%20b/deep/\(file)")
            }
            for place in ["deep/%23er", "deep", ""] { try await expect(0, "rmdir", "\(url)/a%20b/\(place)") }
            #expect(try TestFile.names(in: server.home).isEmpty)
            #expect(try results(installation).isEmpty)
        }
    }

    /// Of all but one web server the program is told: rclone does not name itself.
    private static func topics(of kind: RealServer.Kind) -> [String] {
        guard kind.isWeb else { return ["login"] }
        return kind == .rclone ? ["WebDAV"] : ["WebDAV", "product"]
    }

    @Test(arguments: RealServer.Kind.listing)
    func `a check says what a server is and can, and writes where that is wished`(
        kind: RealServer.Kind
    ) async throws {
        try await withServer(kind) { installation, server, _ in
            let done = try await installation.control(["remote", "check", "--write", server.url + "/"])
            #expect(done.succeeded, "\(done.text)\(done.errorText)")
            let isSecure = server.origin.contains("tls = require")
            let topics = ["server", "written", "size", "rename", "removed"]
            for topic in topics + Self.topics(of: kind) {
                #expect(done.text.split(separator: "\n").contains { $0.hasPrefix("\(topic) ") }, "\(topic)")
            }
            #expect(done.text.contains("pinned_key = sha256//") == isSecure, "\(done.text)")
            #expect(done.text.contains("read back") && done.text.contains("the same"))
            if kind == .openSSH { #expect(done.text.contains("SHA256:")) }
            // Apache keeps properties in a directory of its own.
            let left = try TestFile.names(in: server.home).filter { $0 != Array(".DAV".utf8) }
            #expect(left.isEmpty, "\(left)")
        }
    }

    @Test(arguments: [RealServer.Kind.vsftpd, .vsftpdTLS, .openSSH])
    func `a file of any size comes whole, to a file or to standard output`(kind: RealServer.Kind) async throws
    {
        try await withServer(kind) { installation, server, directory in
            let content = TestContent.pattern(20_000_000, seed: 3)
            try server.place(content.bytes, named: "big")
            let output = directory.appending("out")
            try TestFile.write([1], to: output, mode: 0o600)
            let first = try await installation.control(["remote", "get", "\(server.url)/big", "-o", output])
            #expect(first.succeeded && first.output.isEmpty, "\(first.errorText)")
            #expect(TestFile.sha256(output) == content.sha256)
            let second = try await installation.control(["remote", "get", "\(server.url)/big"])
            #expect(sha256(second.output) == content.sha256)
            let missing = try await installation.control(["remote", "get", "\(server.url)/no", "-o", output])
            #expect(missing.status == .exited(1) && !missing.errorText.isEmpty)
            #expect(TestFile.sha256(output) == content.sha256)
            let names = try TestFile.names(in: directory.path).map { String(decoding: $0, as: UTF8.self) }
            #expect(!names.contains { $0.hasPrefix(".transferctl") })
            #expect(try results(installation).isEmpty)
        }
    }

    @Test func `commands of the server's own are sent until one is refused`() async throws {
        try await withServer(.proftpd) { installation, server, _ in
            let url = server.url + "/"
            let good = try await installation.control(["remote", "quote", url, "SITE HELP", "NOOP"])
            #expect(good.succeeded && good.text.hasPrefix("214 "), "\(good.text)\(good.errorText)")
            #expect(good.text.hasSuffix("200 NOOP command successful\n"))
            let bad = try await installation.control([
                "remote", "quote", "--json", url, "NOOP", "XYZZY", "NOOP",
            ])
            #expect(bad.status == .exited(1))
            #expect(bad.text.split(separator: "\n").count == 2)
            #expect(bad.text.contains(#""command":"XYZZY","code":500,"#))
            #expect(bad.errorText.contains("refused 'XYZZY': 500 "))
            let evil = try await installation.control(["remote", "quote", url, "NOOP\r\nDELE x"])
            #expect(evil.status == .exited(2) && evil.errorText.contains("control byte"))
            #expect(try results(installation).isEmpty)
        }
    }
}
