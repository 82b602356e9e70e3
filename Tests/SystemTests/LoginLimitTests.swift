import Glibc
import TestServers
import Testing

extension Whole {
    /// Servers that let in few of us, or none.
    @Suite struct LoginLimitTests {
        private func origin(lanes: Int) -> String {
            """
            [origin server]
            match = 127.0.0.1
            lanes = \(lanes)
            """
        }

        private func files(_ count: Int, _ directory: TemporaryDirectory) throws -> [String] {
            try (0..<count).map { try directory.write(Sources.content($0), to: "f\($0)") }
        }

        @Test
        func `a server that allows two of eight connections gets a hundred files, and few refused logins`()
            async throws
        {
            try await withTemporaryDirectory { directory in
                let server = try await VsftpdServer.start(in: directory, extra: ["max_per_ip=2"])
                let installation = try Installation(directory, sections: origin(lanes: 8))
                let daemon = try await installation.startDaemon()
                let jobs = try await installation.enqueueAll(
                    ["upload"] + files(100, directory) + ["\(server.url)/"])
                try await installation.expectDone(jobs, within: .seconds(40))
                #expect(try TestFile.names(in: server.home).count == 100)
                #expect(try await installation.status("--all").allSatisfy { $0.attempts == 0 })
                let refusals = TestFile.text(server.log).split(separator: "\n").count {
                    $0.contains("\"421 ")
                }
                #expect((1...12).contains(refusals), "\(refusals)")
                let said = installation.logText.split(separator: "\n").count {
                    $0.contains("fewer connections")
                }
                #expect(said == 1)
                try await daemon.sigterm()
                await server.stop()
            }
        }

        @Test
        func `a refused password is tried by no more than the lanes, said once, and corrected by a reload`()
            async throws
        {
            try await withTemporaryDirectory { directory in
                let server = try ScriptedFTPServer {
                    $0.verb == "PASS" && $0.text == "wrong" ? .replies("530 Login incorrect.") : .right
                }
                let netrc = { (password: String) in
                    try directory.write(
                        "machine 127.0.0.1 login a password \(password)\nmachine 127.0.0.1 login b password right\n",
                        to: "netrc", mode: 0o600)
                }
                let general = ["netrc = \(try netrc("wrong"))"]
                let installation = try Installation(directory, general: general, sections: origin(lanes: 4))
                let daemon = try await installation.startDaemon()
                let files = try files(30, directory)
                let url = { (user: String) in "ftp://\(user)@127.0.0.1:\(server.port)/\(user)/" }
                server.files.makeDirectory(Array("/a".utf8))
                server.files.makeDirectory(Array("/b".utf8))
                let refused = try await installation.enqueueAll(["upload"] + files + [url("a")])
                try await eventually("the refusal is said\(installation.logTail)") {
                    installation.logText.contains("refused the login")
                }
                let others = try await installation.enqueueAll(["upload"] + files + [url("b")])
                try await installation.expectDone(others)
                #expect(server.commands.count { $0.verb == "PASS" && $0.text == "wrong" } <= 4)
                #expect(
                    installation.logText.split(separator: "\n").count { $0.contains("refused the login") }
                        == 1)
                let waiting = try await installation.status("--state", "queued")
                #expect(waiting.count == 30)
                #expect(waiting.allSatisfy { $0.attempts == 0 })
                _ = try netrc("right")
                daemon.child.signal(SIGHUP)
                try await installation.expectDone(refused)
                try await daemon.sigterm()
            }
        }
    }
}
