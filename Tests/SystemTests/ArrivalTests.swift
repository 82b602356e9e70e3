import Glibc
import TestServers
import Testing

extension Whole {
    /// What is dropped into a spool route is at the server afterwards, byte for byte, and gone from the spool.
    @Suite struct ArrivalTests {
        private let count = Scale.pick(quick: 400, full: 2000)

        @Test func `files with odd names dropped into a route are at vsftpd under their names`() async throws
        {
            try await withTemporaryDirectory { directory in
                let server = try await VsftpdServer.start(in: directory)
                let installation = try Installation(
                    directory,
                    sections: """
                        [route out]
                        kind = upload
                        url = \(server.url)/in/
                        settle = 0
                        """)
                try await expectAll(installation, at: "\(server.home)/in", label: "vsftpd")
            }
        }

        @Test(arguments: [1, 4])
        func `files with odd names are at proftpd over TLS with session reuse`(lanes: Int) async throws {
            try await withTemporaryDirectory { directory in
                let server = try await ProftpdServer.start(in: directory, tls: .explicit)
                try directory.write(server.netrc + "\n", to: "netrc", mode: 0o600)
                let installation = try Installation(
                    directory, general: ["netrc = \(directory.appending("netrc"))"],
                    sections: """
                        [origin secure]
                        match = 127.0.0.1:\(server.port)
                        ca_file = \(directory.appending("tls/ca.pem"))
                        [route out]
                        kind = upload
                        url = \(server.url)/in/
                        tls = require
                        lanes = \(lanes)
                        settle = 0
                        """)
                try await expectAll(
                    installation, at: "\(server.home)/in", label: "proftpd with TLS, lanes \(lanes)")
            }
        }

        @Test func `a file that arrived is archived where the route says so`() async throws {
            try await withTemporaryDirectory { directory in
                let server = try await VsftpdServer.start(in: directory)
                let installation = try Installation(
                    directory,
                    sections: """
                        [route out]
                        kind = upload
                        url = \(server.url)/
                        after = archive
                        settle = 0
                        """)
                let daemon = try await installation.startDaemon()
                for text in ["first", "second"] {
                    try Sources.drop(
                        Array(text.utf8), named: Array("a".utf8), into: installation.spool("out"))
                    try await eventually("\(text) at the server\(installation.logTail)") {
                        TestFile.text("\(server.home)/a") == text
                    }
                    try await eventually("an empty spool\(installation.logTail)") {
                        try installation.waiting(in: "out").isEmpty
                    }
                }
                let sent = "\(installation.spool("out"))/sent"
                #expect(TestFile.text("\(sent)/a") == "first")
                #expect(TestFile.text("\(sent)/a.2") == "second")
                try await daemon.sigterm()
            }
        }

        @Test func `a file that cannot be put away holds up no other`() async throws {
            try await withTemporaryDirectory { directory in
                let server = try await VsftpdServer.start(in: directory)
                let route = { (name: String) in
                    "[route \(name)]\nkind = upload\nurl = \(server.url)/\nafter = archive\nsettle = 0\n"
                }
                let installation = try Installation(directory, sections: route("stuck") + route("good"))
                let daemon = try await installation.startDaemon()
                let sent = "\(installation.spool("stuck"))/sent"
                #expect(rmdir(sent) == 0)
                try TestFile.write(Array("in the way".utf8), to: sent)
                for name in ["stuck", "good"] {
                    try Sources.drop(
                        Array(name.utf8), named: Array(name.utf8), into: installation.spool(name))
                    try await eventually("\(name) at the server\(installation.logTail)") {
                        TestFile.text("\(server.home)/\(name)") == name
                    }
                }
                try await eventually("the other route's archive\(installation.logTail)") {
                    TestFile.text("\(installation.spool("good"))/sent/good") == "good"
                }
                try await daemon.sigterm()
            }
        }

        /// Drops `count` files, half before the daemon's start, and looks at what came.
        private func expectAll(_ installation: Installation, at place: String, label: String) async throws {
            let spool = installation.spool("out")
            try installation.directory.makeDirectory("state/spool/out")
            let names = Sources.oddNames(count)
            for number in 0..<count / 2 {
                try Sources.drop(Sources.content(number), named: names[number], into: spool)
            }
            let start = ContinuousClock.now
            let daemon = try await installation.startDaemon()
            for number in count / 2..<count {
                try Sources.drop(Sources.content(number), named: names[number], into: spool)
            }
            do {
                try await eventually("an empty spool", timeout: .seconds(120), every: .milliseconds(20)) {
                    try installation.waiting(in: "out").isEmpty
                }
            } catch {
                Issue.record(
                    "\(error): \(try await installation.control(["status"]).text)\(installation.logTail)")
            }
            Scale.report(
                "\(count) files of 4 KiB to \(label): \((ContinuousClock.now - start).inMilliseconds)")
            let arrived = try TestFile.names(in: place)
            let isSame = Set(arrived) == Set(names)
            #expect(isSame, "\(arrived.count) names arrived")
            var different = 0
            for number in 0..<count {
                let path = Array("\(place)/".utf8) + names[number]
                if (try? TestFile.read(rawPath: path)) != Sources.content(number) { different += 1 }
            }
            #expect(different == 0)
            let lines = try await installation.status("--all")
            #expect(lines.count { $0.state == "done" } == count)
            try await daemon.sigterm()
        }
    }
}
