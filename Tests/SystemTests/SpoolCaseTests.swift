import CLinux
import Glibc
import TestServers
import Testing

extension Whole {
    /// What people and programs do to a spool directory.
    @Suite struct SpoolCaseTests {
        private func withRoute(
            _ lines: [String] = ["settle = 200ms"], general: [String] = [],
            _ body: (Installation, String, VsftpdServer) async throws -> Void
        ) async throws {
            try await withTemporaryDirectory { directory in
                let server = try await VsftpdServer.start(in: directory)
                let route = ["[route out]", "kind = upload", "url = \(server.url)/in/"] + lines
                let installation = try Installation(
                    directory, general: general, sections: route.joined(separator: "\n"))
                let daemon = try await installation.startDaemon()
                try await body(installation, installation.spool("out"), server)
                #expect(daemon.child.isRunning)
                try await daemon.sigterm()
            }
        }

        private func arrival(
            of name: String, _ content: String, _ server: VsftpdServer, _ installation: Installation
        ) async throws {
            try await eventually("\(name) at the server\(installation.logTail)", timeout: .seconds(20)) {
                TestFile.text("\(server.home)/in/\(name)") == content
            }
        }

        private func uploads(_ server: VsftpdServer) -> Int {
            TestFile.text(server.log).split(separator: "\n").count { $0.contains("OK UPLOAD") }
        }

        private func append(_ text: String, to path: String) throws {
            let fd = transferd_open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o644)
            defer { close(fd) }
            let bytes = Array(text.utf8)
            guard fd >= 0, write(fd, bytes, bytes.count) == bytes.count else {
                throw TestServerError("no append to \(path)")
            }
        }

        @Test func `a file that is written for long, with a long silence, is taken once and whole`()
            async throws
        {
            try await withRoute { installation, spool, server in
                let fd = transferd_open("\(spool)/slow", O_WRONLY | O_CREAT | O_CLOEXEC, 0o644)
                for text in ["one ", "two ", "three"] {
                    _ = write(fd, text, text.utf8.count)
                    await pause(.milliseconds(700))
                }
                #expect(!TestFile.exists("\(server.home)/in/slow"), "it is still open for writing")
                close(fd)
                try await arrival(of: "slow", "one two three", server, installation)
                #expect(uploads(server) == 1)
            }
        }

        @Test func `five appends in a row are one file`() async throws {
            try await withRoute(["settle = 500ms"]) { installation, spool, server in
                for number in 1...5 {
                    try append("line \(number)\n", to: "\(spool)/log")
                    await pause(.milliseconds(50))
                }
                try await arrival(
                    of: "log", "line 1\nline 2\nline 3\nline 4\nline 5\n", server, installation)
                #expect(uploads(server) == 1)
            }
        }

        @Test func `temporary names of other programs never travel, the final name does once`() async throws {
            try await withRoute(["settle = 0"]) { installation, spool, server in
                let pairs = [
                    (".rsync.Xy12Zq", "rsync"), ("copy.part", "copy"), ("web.crdownload", "web"),
                    ("edit.tmp", "edit"), ("winscp.filepart", "winscp"),
                ]
                for name in ["backup~", ".name.swp", ".hidden", ".nfs000001"] {
                    try TestFile.write([1], to: "\(spool)/\(name)")
                }
                for (temporary, final) in pairs {
                    try append("content of \(final)", to: "\(spool)/\(temporary)")
                    await pause(.milliseconds(50))
                    #expect(rename("\(spool)/\(temporary)", "\(spool)/\(final)") == 0)
                }
                try TestFile.write(Array("linked".utf8), to: "\(installation.state)/elsewhere")
                #expect(link("\(installation.state)/elsewhere", "\(spool)/linked") == 0)
                for (_, final) in pairs {
                    try await arrival(of: final, "content of \(final)", server, installation)
                }
                try await arrival(of: "linked", "linked", server, installation)
                try await eventually("done") {
                    try await installation.status("--all").allSatisfy { $0.state == "done" }
                }
                #expect(uploads(server) == pairs.count + 1)
                try await eventually("only what is ignored stays\(installation.logTail)") {
                    try installation.waiting(in: "out").count == 4
                }
            }
        }

        @Test func `three contents under one name end with the last one at the server`() async throws {
            try await withRoute(["settle = 0"]) { installation, spool, server in
                for number in 1...3 {
                    try Sources.drop(
                        Array("content \(number)".utf8), named: Array("same".utf8), into: spool)
                    await pause(.milliseconds(120))
                }
                try await eventually("an empty spool\(installation.logTail)") {
                    try installation.waiting(in: "out").isEmpty
                }
                #expect(TestFile.text("\(server.home)/in/same") == "content 3")
            }
        }

        @Test func `what is no regular file is left alone, said once, and holds up nobody`() async throws {
            try await withRoute(general: ["rescan = 1s"]) { installation, spool, server in
                #expect(mkfifo("\(spool)/pipe", 0o644) == 0)
                #expect(mkdir("\(spool)/directory", 0o755) == 0)
                #expect(symlink("/etc/hostname", "\(spool)/link") == 0)
                try TestFile.write(Array("real".utf8), to: "\(spool)/real")
                try await arrival(of: "real", "real", server, installation)
                await pause(.milliseconds(2500))
                for name in ["pipe", "directory", "link"] {
                    #expect(TestFile.exists("\(spool)/\(name)"))
                    #expect(!TestFile.exists("\(server.home)/in/\(name)"))
                    let said = installation.logText.split(separator: "\n").count {
                        $0.contains("/\(name)") || $0.contains(" \(name)") || $0.contains("'\(name)'")
                    }
                    #expect(said <= 1, "\(name): \(said) times\(installation.logTail)")
                }
            }
        }

        @Test func `a spool directory that goes away and comes back is watched again`() async throws {
            try await withRoute(["settle = 0"], general: ["rescan = 1s"]) { installation, spool, server in
                try TestFile.write([1], to: "\(spool)/first")
                try await eventually("the first file") { TestFile.exists("\(server.home)/in/first") }
                try await eventually("an empty spool") { try installation.waiting(in: "out").isEmpty }
                #expect(rename(spool, "\(installation.state)/moved away") == 0)
                await pause(.milliseconds(1500))
                try installation.directory.makeDirectory("state/spool/out", mode: 0o770)
                try TestFile.write(Array("back".utf8), to: "\(spool)/second")
                try await arrival(of: "second", "back", server, installation)
                try TestFile.write(Array("by event".utf8), to: "\(spool)/third")
                try await arrival(of: "third", "by event", server, installation)
            }
        }

        @Test func `a file that failed for good is put aside with the reason`() async throws {
            try await withTemporaryDirectory { directory in
                let server = try ScriptedFTPServer {
                    $0.verb == "STOR" ? .replies("553 Not in my house.") : .right
                }
                server.files.makeDirectory(Array("/in".utf8))
                let installation = try Installation(
                    directory,
                    sections: "[route out]\nkind = upload\nurl = \(server.url)/in/\nsettle = 0")
                let daemon = try await installation.startDaemon()
                let failed = "\(installation.spool("out"))/failed"
                for expected in ["bad", "bad.2"] {
                    try Sources.drop(
                        Array(expected.utf8), named: Array("bad".utf8), into: installation.spool("out"))
                    try await eventually(
                        "\(expected) put aside\(installation.logTail)", timeout: .seconds(20)
                    ) {
                        TestFile.text("\(failed)/\(expected)") == expected
                    }
                    try await eventually("the reason\(installation.logTail)") {
                        TestFile.text("\(failed)/\(expected).reason").contains("Not in my house")
                    }
                }
                try await daemon.sigterm()
            }
        }

        @Test func `a source that changes while it travels is sent again, never a mixture`() async throws {
            try await withTemporaryDirectory { directory in
                let server = try await VsftpdServer.start(in: directory, bytesPerSecond: 2_000_000)
                let sources = try directory.makeDirectory("sources")
                let old = TestContent.pattern(3_000_000, seed: 1)
                let new = TestContent.pattern(3_000_000, seed: 2)
                try TestFile.write(old, to: "\(sources)/file")
                let installation = try Installation(directory, general: ["source_dirs = \(sources)"])
                let daemon = try await installation.startDaemon()
                let job = try await installation.enqueue("upload", "\(sources)/file", "\(server.url)/in/file")
                try await eventually("bytes on the way\(installation.logTail)") {
                    try await installation.show(job).state == "running"
                }
                await pause(.milliseconds(400))
                try TestFile.write(new, to: "\(sources)/file")
                try await eventually("a failed attempt\(installation.logTail)", timeout: .seconds(20)) {
                    try await installation.show(job).attemptsLog?.first?.error != nil
                }
                #expect(!TestFile.exists("\(server.home)/in/file"))
                _ = try await installation.control(["retry", "\(job)"])
                try await installation.expectDone([job])
                #expect(TestFile.sha256("\(server.home)/in/file") == new.sha256)
                #expect(try TestFile.names(in: "\(server.home)/in").count == 1, "no temporary file is left")
                try await daemon.sigterm()
            }
        }

        @Test func `names that are hard on programs travel or are refused, and block nobody`() async throws {
            try await withRoute(["settle = 0"]) { installation, spool, server in
                let names: [[UInt8]] = [
                    Array(" both ends ".utf8), Array("quote\"'`".utf8), Array(repeating: 0x61, count: 255),
                    Array("tab\tand\nnewline".utf8), Array(String(repeating: "ü", count: 127).utf8),
                    [0xff, 0xfe, 0x41], Array("plain".utf8),
                ]
                for (number, name) in names.enumerated() {
                    try TestFile.write(Sources.content(number), rawPath: Array("\(spool)/".utf8) + name)
                }
                try await eventually("every file dealt with\(installation.logTail)", timeout: .seconds(30)) {
                    try installation.waiting(in: "out").isEmpty
                }
                let arrived = try TestFile.names(in: "\(server.home)/in")
                let refused = (try? TestFile.names(in: "\(spool)/failed")) ?? []
                for (number, name) in names.enumerated() {
                    let text = String(decoding: name, as: UTF8.self)
                    #expect(
                        arrived.contains(name) || refused.contains(name), "\(text)\(installation.logTail)")
                    if arrived.contains(name) {
                        let content = try TestFile.read(rawPath: Array("\(server.home)/in/".utf8) + name)
                        #expect(content == Sources.content(number))
                    }
                }
                #expect(arrived.allSatisfy { names.contains($0) }, "no other name was made of one")
                Scale.report(
                    "of \(names.count) hard names \(arrived.count) arrived and \(refused.count / 2) were refused"
                )
            }
        }
    }
}
