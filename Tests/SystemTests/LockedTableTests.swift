import Glibc
import TestServers
import Testing

extension Whole {
    /// Another program keeps a write transaction open on the job table.
    @Suite struct LockedTableTests {
        private let hold = Scale.pick(quick: Duration.seconds(6), full: .seconds(60))

        @Test func `transfers go on, the watchdog is answered and SIGTERM ends it while the table is held`()
            async throws
        {
            try await withTemporaryDirectory { directory in
                let server = try await VsftpdServer.start(in: directory, bytesPerSecond: 2_000_000)
                let size = Int(hold / .seconds(1)) * 3_000_000
                let content = TestContent.pattern(size, seed: 9)
                let sources = try directory.makeDirectory("sources")
                try TestFile.write(content, to: "\(sources)/large")
                let installation = try Installation(
                    directory, general: ["source_dirs = \(sources)"],
                    sections: """
                        [route out]
                        kind = upload
                        url = \(server.url)/in/
                        settle = 0
                        """)
                var daemon = try await installation.startDaemon(watchdog: .seconds(2))
                let large = try await installation.enqueue(
                    "upload", "\(sources)/large", "\(server.url)/large")
                try await eventually("bytes at the server\(installation.logTail)") { stored(server) > 0 }
                let holder = try holdTable(installation)
                try await eventually("the lock") { try await !canWrite(installation) }
                let start = ContinuousClock.now
                try Sources.drop(
                    Array("while held".utf8), named: Array("held".utf8), into: installation.spool("out"))
                try await expectMovement(of: server, for: hold - .seconds(3))
                let gap = installation.notify.longestGap(of: "WATCHDOG=1", since: start)
                Scale.report("longest wait of the watchdog while the table was held: \(gap.inMilliseconds)")
                #expect(gap < Scale.pick(quick: .seconds(10), full: .seconds(2)))
                #expect(installation.logText.contains("holds the job table"))
                #expect(holder.isRunning, "the table was held to the end")
                let end = try await daemon.sigterm()
                Scale.report("SIGTERM to exit while the table was held: \(end.time.inMilliseconds)")
                #expect(end.status == .exited(0))
                #expect(end.time < .seconds(10))
                await holder.kill()
                daemon = try await installation.startDaemon()
                try await installation.expectDone([large], within: hold + .seconds(120))
                #expect(TestFile.sha256("\(server.home)/large") == content.sha256)
                try await eventually("the file dropped meanwhile\(installation.logTail)") {
                    TestFile.text("\(server.home)/in/held") == "while held"
                }
                try await daemon.sigterm()
            }
        }

        @Test func `what ended while the table was held is recorded when it is free`() async throws {
            try await withTemporaryDirectory { directory in
                let server = try await NginxServer.start(in: directory)
                let content = TestContent.pattern(4_000_000, seed: 3)
                try TestFile.write(content, to: "\(server.home)/file")
                let relay = try ScriptedRelay(to: server.port, bytesPerSecond: 1_000_000)
                let installation = try Installation(directory)
                let daemon = try await installation.startDaemon()
                let job = try await installation.enqueue("download", "http://127.0.0.1:\(relay.port)/file")
                try await eventually("the request\(installation.logTail)") { relay.connections > 0 }
                let holder = try holdTable(installation)
                try await pause(until: hold)
                #expect(holder.isRunning)
                await holder.kill()
                try await installation.expectDone([job])
                #expect(TestFile.sha256("\(installation.downloads)/file") == content.sha256)
                #expect(try await installation.show(job).attemptsLog?.count == 1)
                try await daemon.sigterm()
            }
        }

        private func pause(until time: Duration) async throws { await TestServers.pause(time) }

        private func holdTable(_ installation: Installation) throws -> ChildProcess {
            try ChildProcess.spawn([
                "sqlite3", "-cmd", ".timeout 10000", installation.database, "BEGIN IMMEDIATE",
                ".shell exec sleep 600", "ROLLBACK",
            ])
        }

        /// Whether a write transaction can be had at once.
        private func canWrite(_ installation: Installation) async throws -> Bool {
            try await ChildProcess.run(["sqlite3", installation.database, "BEGIN IMMEDIATE; ROLLBACK"])
                .succeeded
        }

        /// The bytes of the large file at the server so far, under whatever name.
        private func stored(_ server: VsftpdServer) -> Int {
            let names = (try? TestFile.names(in: server.home)) ?? []
            return names.compactMap { TestFile.size("\(server.home)/\(String(decoding: $0, as: UTF8.self))") }
                .filter { $0 > 100_000 && $0 != 4096 }.max() ?? 0
        }

        /// The server's file grows in each second of `time`.
        private func expectMovement(of server: VsftpdServer, for time: Duration) async throws {
            let end = ContinuousClock.now + time
            while ContinuousClock.now < end {
                let before = stored(server)
                await TestServers.pause(.seconds(1))
                #expect(stored(server) > before)
            }
        }
    }
}
