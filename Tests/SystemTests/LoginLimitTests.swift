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

        /// Sends a hundred files over eight lanes to a server that likes fewer, and expects all of them soon.
        private func sendHundred(
            to url: String, general: [String] = [], section: String = "", _ directory: TemporaryDirectory
        ) async throws -> Installation {
            let installation = try Installation(
                directory, general: general, sections: origin(lanes: 8) + "\n" + section)
            let daemon = try await installation.startDaemon()
            let jobs = try await installation.enqueueAll(["upload"] + files(100, directory) + [url])
            try await installation.expectDone(jobs, within: .seconds(40))
            #expect(try await installation.status("--all").allSatisfy { $0.attempts == 0 })
            #expect(
                installation.logText.split(separator: "\n").count { $0.contains("fewer connections") } <= 1)
            try await daemon.sigterm()
            return installation
        }

        private func refusals(_ code: String, _ log: String) -> Int {
            TestFile.text(log).split(separator: "\n").count { $0.contains(code) }
        }

        @Test(arguments: ["max_per_ip=2", "max_clients=2"])
        func `a vsftpd that allows two of eight connections gets a hundred files, and few tries`(
            limit: String
        )
            async throws
        {
            try await withTemporaryDirectory { directory in
                let server = try await VsftpdServer.start(in: directory, extra: [limit])
                let installation = try await sendHundred(to: "\(server.url)/", directory)
                #expect(try TestFile.names(in: server.home).count == 100)
                #expect(
                    (1...12).contains(refusals("\"421 ", server.log)), "\(refusals("\"421 ", server.log))")
                #expect(installation.logText.contains("fewer connections"))
                await server.stop()
            }
        }

        @Test func `a proftpd that allows two clients of a host gets a hundred files`() async throws {
            try await withTemporaryDirectory { directory in
                let server = try await ProftpdServer.start(
                    in: directory,
                    extra: ["ScoreboardFile \(directory.appending("scoreboard"))", "MaxClientsPerHost 2"])
                try directory.write(server.netrc + "\n", to: "netrc", mode: 0o600)
                let installation = try await sendHundred(
                    to: "\(server.url)/", general: ["netrc = \(directory.appending("netrc"))"], directory)
                #expect(try TestFile.names(in: server.home).count == 100)
                #expect(installation.logText.contains("fewer connections"), "\(installation.logTail)")
                await server.stop()
            }
        }

        @Test func `an sshd that lets few log in at a time gets a hundred files`() async throws {
            try await withTemporaryDirectory { directory in
                let server = try await OpenSSHServer.start(in: directory, extra: ["MaxStartups 1:100:1"])
                _ = try await sendHundred(
                    to: "\(server.url)/",
                    section: "known_hosts = \(server.knownHosts)\nidentity = \(server.clientKey)", directory)
                #expect(try TestFile.names(in: server.home).count == 100)
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
                let told = try await installation.control(["status"]).text
                #expect(
                    told.contains("a@127.0.0.1:\(server.port) refused the login, and its jobs wait: "),
                    "\(told)")
                let waiting = try await installation.status("--state", "queued")
                #expect(waiting.count == 30)
                #expect(waiting.allSatisfy { $0.attempts == 0 })
                _ = try netrc("right")
                daemon.child.signal(SIGHUP)
                try await installation.expectDone(refused)
                #expect(try await !installation.control(["status"]).text.contains("refused the login"))
                try await daemon.sigterm()
            }
        }
    }
}
