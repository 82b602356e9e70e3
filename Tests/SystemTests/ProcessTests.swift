import Glibc
import TestServers
import Testing

extension Whole {
    /// The daemon as a process: starting, stopping, reloading, alone.
    @Suite struct ProcessTests {
        @Test func `a second daemon refuses to start and names the first`() async throws {
            try await withInstallation { installation, _ in
                let first = try await installation.startDaemon()
                let second = try installation.spawnDaemon()
                #expect(try await second.child.exitStatus(within: .seconds(10)) == .exited(1))
                #expect(installation.logText.contains("\(first.pid)"), "\(installation.logTail)")
                #expect(first.child.isRunning)
                try await first.sigterm()
            }
        }

        @Test func `SIGTERM at the moment of READY ends the daemon with 0`() async throws {
            try await withInstallation { installation, _ in
                for _ in 0..<20 {
                    let end = try await installation.startDaemon().sigterm()
                    #expect(end.status == .exited(0))
                }
            }
        }

        @Test func `SIGTERM during large transfers ends with 0 and they go on from there`() async throws {
            try await withTemporaryDirectory { directory in
                let ftp = try await VsftpdServer.start(in: directory, bytesPerSecond: 5_000_000)
                let web = try await NginxServer.start(in: directory)
                let relay = try ScriptedRelay(to: web.port, bytesPerSecond: 5_000_000)
                let content = TestContent.pattern(20_000_000, seed: 6)
                let sources = try directory.makeDirectory("sources")
                try TestFile.write(content, to: "\(sources)/up")
                try TestFile.write(content, to: "\(web.home)/down")
                let installation = try Installation(directory, general: ["source_dirs = \(sources)"])
                var daemon = try await installation.startDaemon()
                let jobs = [
                    try await installation.enqueue("upload", "\(sources)/up", "\(ftp.url)/up"),
                    try await installation.enqueue("download", "http://127.0.0.1:\(relay.port)/down"),
                ]
                try await eventually("both under way\(installation.logTail)", timeout: .seconds(20)) {
                    let lines = try await installation.status("--state", "running")
                    return lines.count == 2 && lines.allSatisfy { ($0.offset ?? 0) > 4_000_000 }
                }
                let line = try await installation.status("--state", "running")
                #expect(line.allSatisfy { $0.limit == 20_000_000 }, "offset and limit are shown on the way")
                let end = try await daemon.sigterm()
                Scale.report("SIGTERM with two running transfers: exit after \(end.time.inMilliseconds)")
                #expect(end.status == .exited(0))
                #expect(end.time < .seconds(10))
                #expect(installation.notify.messages.contains { $0.text.contains("STOPPING=1") })
                #expect(try await installation.status("--state", "queued").count == 2)
                daemon = try await installation.startDaemon()
                try await installation.expectDone(jobs)
                #expect(TestFile.sha256("\(ftp.home)/up") == content.sha256)
                #expect(TestFile.sha256("\(installation.downloads)/down") == content.sha256)
                for job in jobs {
                    let log = try await installation.show(job).attemptsLog ?? []
                    #expect(log.count == 2)
                    #expect(
                        (log.last?.start ?? 0) > 4_000_000, "the second try went on where the first stopped")
                }
                try await daemon.sigterm()
            }
        }

        @Test func `SIGHUP takes over a new route, and keeps the old ones when the file is wrong`()
            async throws
        {
            try await withTemporaryDirectory { directory in
                let server = try await VsftpdServer.start(in: directory)
                let route = { (name: String) in
                    "[route \(name)]\nkind = upload\nurl = \(server.url)/\(name)/\nsettle = 0\n"
                }
                let installation = try Installation(directory, sections: route("one"))
                let daemon = try await installation.startDaemon()
                try installation.configure(sections: route("one") + route("two"))
                daemon.child.signal(SIGHUP)
                try await eventually("RELOADING and READY again\(installation.logTail)") {
                    installation.notify.messages.contains { $0.text.contains("RELOADING=1") }
                        && installation.notify.count(of: "READY=1") == 2
                }
                try await eventually("the new route's directory\(installation.logTail)") {
                    TestFile.exists(installation.spool("two"))
                }
                try installation.configure(sections: "[route one]\nkind = carrier pigeon\n")
                daemon.child.signal(SIGHUP)
                try await eventually("READY a third time") { installation.notify.count(of: "READY=1") == 3 }
                #expect(installation.logText.contains("transferd.conf:2"), "file and line are named")
                for name in ["one", "two"] {
                    try Sources.drop([1], named: Array("f".utf8), into: installation.spool(name))
                    try await eventually("a file of route \(name)\(installation.logTail)") {
                        TestFile.exists("\(server.home)/\(name)/f")
                    }
                }
                try await daemon.sigterm()
            }
        }

        @Test func `the service manager hears sentences`() async throws {
            try await withInstallation { installation, directory in
                let server = try ScriptedFTPServer { $0.verb == "STOR" ? .late(by: .seconds(2)) : .right }
                let daemon = try await installation.startDaemon(watchdog: .seconds(1))
                try await eventually("a first sentence") {
                    installation.notify.sentences.contains("Nothing to do")
                }
                let file = try directory.write("x", to: "file")
                let job = try await installation.enqueue("upload", file, "\(server.url)/x")
                try await eventually("a sentence of running jobs\(installation.notify.sentences)") {
                    installation.notify.sentences.contains { $0.hasPrefix("1 running") }
                }
                try await installation.expectDone([job])
                try await eventually("quiet again") { installation.notify.sentences.last == "Nothing to do" }
                #expect(installation.notify.count(of: "WATCHDOG=1") >= 2)
                try await daemon.sigterm()
            }
        }

        @Test(arguments: ["stopped", "slow"])
        func `thousands of files at once are each there once`(daemonIs: String) async throws {
            try await withTemporaryDirectory { directory in
                let server = try await VsftpdServer.start(in: directory)
                let installation = try Installation(
                    directory, general: ["rescan = 1h"],
                    sections: """
                        [route out]
                        kind = upload
                        url = \(server.url)/in/
                        settle = 100ms
                        lanes = 8
                        """)
                let count = Scale.pick(quick: 2_000, full: 20_000)
                var daemon = try await installation.startDaemon()
                if daemonIs == "stopped" {
                    try await daemon.sigterm()
                } else {
                    daemon.child.signal(SIGSTOP)
                }
                for number in 0..<count {
                    try TestFile.write(Array("\(number)".utf8), to: "\(installation.spool("out"))/f\(number)")
                }
                let start = ContinuousClock.now
                if daemonIs == "stopped" {
                    daemon = try await installation.startDaemon()
                } else {
                    daemon.child.signal(SIGCONT)
                }
                try await eventually("an empty spool\(installation.logTail)", timeout: .seconds(300)) {
                    try installation.waiting(in: "out").isEmpty
                }
                Scale.report(
                    "\(count) files dropped while the daemon was \(daemonIs): "
                        + "\((ContinuousClock.now - start).inMilliseconds), peak memory \(daemon.peakMemory) KiB"
                )
                #expect(try TestFile.names(in: "\(server.home)/in").count == count)
                for number in stride(from: 0, to: count, by: 97) {
                    #expect(TestFile.text("\(server.home)/in/f\(number)") == "\(number)")
                }
                let stored = TestFile.text(server.log).split(separator: "\n").count {
                    $0.contains("OK UPLOAD")
                }
                #expect(stored == count, "each was sent once")
                #expect(daemon.peakMemory < 96 << 10)
                try await daemon.sigterm()
            }
        }
    }
}
