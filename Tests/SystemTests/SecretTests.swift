import Glibc
import TestServers
import Testing

extension Whole {
    /// No secret where somebody may look, and foreign text cannot do anything there.
    @Suite struct SecretTests {
        private let secret = "correct horse"

        @Test func `a password is in no log, table, status or process list`() async throws {
            try await withTemporaryDirectory { directory in
                let server = try await ProftpdServer.start(in: directory)
                try directory.write(server.netrc + "\n", to: "netrc", mode: 0o600)
                let installation = try Installation(
                    directory, general: ["netrc = \(directory.appending("netrc"))", "log_level = debug"])
                let daemon = try await installation.startDaemon()
                let file = try directory.write("x", to: "file")
                let job = try await installation.enqueue("upload", file, "\(server.url)/x")
                try await installation.expectDone([job])
                try await expectNoSecret(secret, installation, daemon)
                try await daemon.sigterm()
            }
        }

        @Test func `a refused password stops its login once, in words, without the password`() async throws {
            try await withTemporaryDirectory { directory in
                let server = try await ProftpdServer.start(in: directory)
                try directory.write(
                    "machine 127.0.0.1:\(server.port) login \(server.user) password \"wrong staple\"\n",
                    to: "netrc", mode: 0o600)
                let installation = try Installation(
                    directory, general: ["netrc = \(directory.appending("netrc"))", "log_level = debug"])
                let daemon = try await installation.startDaemon()
                let file = try directory.write("x", to: "file")
                var jobs: [Int] = []
                for number in 0..<3 {
                    jobs.append(try await installation.enqueue("upload", file, "\(server.url)/x\(number)"))
                }
                try await eventually("the notice\(installation.logTail)") {
                    installation.logText.contains("refused the login")
                }
                await pause(.milliseconds(500))
                let notices = installation.logText.split(separator: "\n").count {
                    $0.contains("refused the login")
                }
                #expect(notices == 1)
                for job in jobs { #expect(try await installation.show(job).state == "queued") }
                try await expectNoSecret("wrong staple", installation, daemon)
                try await daemon.sigterm()
            }
        }

        @Test func `a password in an address is refused with the place where it belongs`() async throws {
            try await withInstallation { installation, directory in
                let daemon = try await installation.startDaemon()
                let file = try directory.write("x", to: "file")
                let answer = try await installation.control(
                    ["enqueue", "upload", file, "ftp://user:battery@127.0.0.1/x"])
                #expect(answer.status == .exited(2))
                #expect(answer.errorText.contains("netrc"), "\(answer.errorText)")
                #expect(!answer.errorText.contains("battery"))
                try await expectNoSecret("battery", installation, daemon)
                try await daemon.sigterm()
            }
        }

        @Test func `escape sequences and endless text of a server are escaped and cut`() async throws {
            try await withTemporaryDirectory { directory in
                let page = "\u{1b}[2J\u{1b}]0;owned\u{07}" + String(repeating: "A", count: 70_000)
                let web = try ScriptedHTTPServer { _ in .text(page, status: 403) }
                let ftp = try ScriptedFTPServer { command in
                    command.verb == "STOR"
                        ? .replies("553 \u{1b}[31m" + String(repeating: "B", count: 70_000)) : .right
                }
                let installation = try Installation(directory, general: ["log_level = debug"])
                let daemon = try await installation.startDaemon()
                let file = try directory.write("x", to: "file")
                let jobs = [
                    try await installation.enqueue("form", web.url, "-F", "a=b"),
                    try await installation.enqueue("upload", file, "\(ftp.url)/x"),
                    try await installation.enqueue("download", "\(web.url)/d"),
                ]
                #expect(try await installation.wait(jobs, within: .seconds(30)) == .exited(1))
                let shown = [
                    try await installation.control(["status", "--all"]).output,
                    try await installation.control(["show", "\(jobs[0])"]).output,
                    try await installation.control(["show", "\(jobs[1])"]).output,
                    try TestFile.read(installation.log),
                ]
                for text in shown {
                    #expect(!text.contains { $0 == 0x1b || $0 == 0x07 })
                }
                #expect(shown[0].count < 20_000)
                #expect(try TestFile.read(installation.log).count < 100_000)
                let lines = try await installation.status("--all")
                #expect(lines.count == 3 && lines.allSatisfy { $0.state == "failed" })
                #expect(lines.allSatisfy { ($0.error?.text.utf8.count ?? 0) < 5000 })
                let reply = try #require(try await installation.show(jobs[0]).reply)
                #expect(
                    reply.status == 403 && reply.body.utf8.count <= 65_536
                        && reply.body.hasPrefix("\u{1b}[2J"))
                try await daemon.sigterm()
            }
        }

        @Test(arguments: ["basic", "digest", "bearer"])
        func `a secret of a web service is in no log, table, status or process list`(auth: String)
            async throws
        {
            try await withTemporaryDirectory { directory in
                let server = try ScriptedHTTPServer { request in
                    guard auth == "digest", request.header("Authorization") == nil else {
                        return .text("thanks")
                    }
                    return .text(
                        "", status: 401,
                        headers: [HTTPHeader("WWW-Authenticate", "Digest realm=\"r\", nonce=\"n\"")])
                }
                try directory.write(
                    "machine 127.0.0.1:\(server.port) login me password \"\(secret)\"\n", to: "netrc",
                    mode: 0o600)
                let installation = try Installation(
                    directory, general: ["netrc = \(directory.appending("netrc"))", "log_level = debug"],
                    sections: """
                        [route scans]
                        kind = form
                        url = http://me@127.0.0.1:\(server.port)/in
                        header = X-Api-Key: battery staple
                        auth = \(auth)
                        settle = 0
                        """)
                let daemon = try await installation.startDaemon()
                try Sources.drop([1, 2, 3], named: Array("scan".utf8), into: installation.spool("scans"))
                try await eventually("the end\(installation.logTail)") {
                    installation.logText.contains("arrived")
                }
                let request = try #require(server.requests.last)
                #expect(request.header("X-Api-Key") == "battery staple")
                #expect(request.header("Authorization")?.lowercased().hasPrefix(auth) == true)
                for hidden in [secret, "battery staple", "Y29ycmVjdCBob3JzZQ"] {
                    try await expectNoSecret(hidden, installation, daemon)
                }
                try await daemon.sigterm()
            }
        }

        @Test(arguments: [401, 403])
        func `a refused login stops that user at the web server, once, and no other`(status: Int) async throws
        {
            try await withTemporaryDirectory { directory in
                let server = try ScriptedHTTPServer { request in
                    // "bad:wrong staple" and "good:fine".
                    request.header("Authorization") == "Basic Z29vZDpmaW5l"
                        ? .text("thanks") : .text("not you", status: status)
                }
                try directory.write(
                    "machine 127.0.0.1 login bad password \"wrong staple\"\n"
                        + "machine 127.0.0.1 login good password fine\n", to: "netrc", mode: 0o600)
                let installation = try Installation(
                    directory, general: ["netrc = \(directory.appending("netrc"))", "log_level = debug"])
                let daemon = try await installation.startDaemon()
                var bad: [Int] = []
                for _ in 0..<4 {
                    bad.append(
                        try await installation.enqueue(
                            "form", "http://bad@127.0.0.1:\(server.port)/in", "-F", "a=b"))
                }
                try await eventually("the notice\(installation.logTail)") {
                    installation.logText.contains("refused the login")
                }
                let good = try await installation.enqueue(
                    "form", "http://good@127.0.0.1:\(server.port)/in", "-F", "a=b")
                try await installation.expectDone([good])
                for job in bad {
                    let line = try await installation.show(job)
                    #expect(line.state == "queued" && line.attempts == 0, "\(line)\(installation.logTail)")
                }
                let notices = installation.logText.split(separator: "\n").count {
                    $0.contains("refused the login")
                }
                #expect(notices == 1)
                try await expectNoSecret("wrong staple", installation, daemon)
                try await daemon.sigterm()
            }
        }

        private func expectNoSecret(
            _ secret: String, _ installation: Installation, _ daemon: DaemonProcess,
            sourceLocation: SourceLocation = #_sourceLocation
        ) async throws {
            var places = [("log", installation.log)]
            places += ["cmdline", "environ"].map { ($0, "/proc/\(daemon.pid)/\($0)") }
            for name in try TestFile.names(in: installation.state) {
                let text = String(decoding: name, as: UTF8.self)
                places.append((text, "\(installation.state)/\(text)"))
            }
            for (name, path) in places {
                let content = TestFile.text(path)
                #expect(!content.contains(secret), "\(name)", sourceLocation: sourceLocation)
            }
            for command in [["status", "--all", "--json"], ["status", "--all"]] {
                let shown = try await installation.control(command)
                #expect(
                    !shown.text.contains(secret) && !shown.errorText.contains(secret),
                    sourceLocation: sourceLocation)
            }
        }
    }
}
