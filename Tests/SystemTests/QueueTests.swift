import Glibc
import TestServers
import Testing
import TransferModel
import TransferStore

extension Whole {
    /// A long queue for an origin that is down costs the others nothing.
    @Suite struct QueueTests {
        private let many = Scale.pick(quick: 30_000, full: 1_000_000)

        /// Whether all rows have one address, or each its own (`i` is the number of the row).
        @Test(arguments: ["url", "url || i"])
        func `claims and status do not slow down with a long queue for a dead origin`(
            address: String
        ) async throws {
            try await withTemporaryDirectory { directory in
                let server = try await VsftpdServer.start(in: directory)
                let dead = try Loopback.freePort()
                let installation = try Installation(directory)
                try await installation.startDaemon().sigterm()
                let file = try directory.write("small", to: "file")
                let first = try await installation.enqueue("upload", file, "ftp://127.0.0.1:\(dead)/x")
                try await fill(installation, from: first, to: 1000, address)
                let few = try await measure(installation, dead: dead, live: server)
                try await fill(installation, from: first, to: many, address)
                let lots = try await measure(installation, dead: dead, live: server)
                Scale.report(
                    "with 1,000 and \(many) rows (\(address)): claim at the dead origin \(few.dead.inMilliseconds) and "
                        + "\(lots.dead.inMilliseconds), at another \(few.live.inMilliseconds) and "
                        + "\(lots.live.inMilliseconds), transferctl status \(few.status.inMilliseconds) and "
                        + "\(lots.status.inMilliseconds)")
                if Scale.isFull {
                    #expect(lots.dead <= few.dead * 2)
                    #expect(lots.live <= few.live * 2)
                    #expect(lots.status < .milliseconds(200))
                }
                try await expectWork(installation, server)
            }
        }

        @Test func `files for a server that is up arrive while thousands wait for one that is down`()
            async throws
        {
            try await withTemporaryDirectory { directory in
                let server = try await VsftpdServer.start(in: directory)
                let installation = try Installation(directory)
                let daemon = try await installation.startDaemon()
                let file = try directory.write("small", to: "file")
                var waiting: [Int] = []
                for number in 0..<20 {
                    waiting.append(
                        try await installation.enqueue(
                            "upload", file, "ftp://127.0.0.1:\(try Loopback.freePort())/d\(number)"))
                }
                let jobs = try await withFiles(20, installation, server)
                try await installation.expectDone(jobs, within: .seconds(20))
                for line in try await installation.status("--state", "queued") {
                    #expect(line.attempts == 0, "an origin that is down costs its jobs no attempt")
                }
                let ids = waiting.map(String.init)
                #expect(try await installation.control(["cancel"] + ids).succeeded)
                #expect(try await installation.status("--state", "cancelled").count == waiting.count)
                try await daemon.sigterm()
            }
        }

        private func withFiles(
            _ count: Int, _ installation: Installation, _ server: VsftpdServer
        ) async throws -> [Int] {
            let file = try installation.directory.write("content", to: "content")
            var jobs: [Int] = []
            for number in 0..<count {
                jobs.append(try await installation.enqueue("upload", file, "\(server.url)/f\(number)"))
            }
            return jobs
        }

        /// A daemon on the full table carries a file for the live server, and answers.
        private func expectWork(_ installation: Installation, _ server: VsftpdServer) async throws {
            let start = ContinuousClock.now
            let daemon = try await installation.startDaemon(within: .seconds(60))
            Scale.report("start with \(many) rows: \((ContinuousClock.now - start).inMilliseconds)")
            let jobs = try await withFiles(5, installation, server)
            try await installation.expectDone(jobs, within: .seconds(20))
            let end = try await daemon.sigterm()
            #expect(end.status == .exited(0) && end.time < .seconds(10))
        }

        /// Copies the row of job `id` until there are `count`.
        private func fill(
            _ installation: Installation, from id: Int, to count: Int, _ address: String
        ) async throws {
            let columns = try await sqlite(
                installation, "SELECT group_concat('\"' || name || '\"') FROM pragma_table_info('jobs')")
            let copied = columns.replacing("\"id\"", with: "NULL").replacing(
                "\"idempotency_key\"", with: "lower(hex(randomblob(16)))"
            ).replacing("\"url\"", with: address)
            _ = try await sqlite(
                installation,
                """
                WITH RECURSIVE n(i) AS (SELECT count(*) + 1 FROM jobs UNION ALL SELECT i + 1 FROM n WHERE i < \(count))
                INSERT INTO jobs (\(columns)) SELECT \(copied) FROM jobs, n WHERE jobs.id = \(id)
                """)
        }

        private func sqlite(_ installation: Installation, _ sql: String) async throws -> String {
            let done = try await ChildProcess.run(
                ["sqlite3", installation.database, sql], timeout: .seconds(300))
            guard done.succeeded else { throw TestServerError("sqlite3: \(done.errorText)") }
            return done.text.split(separator: "\n").joined(separator: "\n")
        }

        private struct Times {
            var dead: Duration
            var live: Duration
            var status: Duration
        }

        /// Medians of 25 claims each, by the store itself, and of `transferctl status`.
        private func measure(
            _ installation: Installation, dead: UInt16, live: VsftpdServer
        ) async throws -> Times {
            var status: [Duration] = []
            for _ in 0..<5 {
                let start = ContinuousClock.now
                #expect(try await installation.control(["status"]).succeeded)
                status.append(ContinuousClock.now - start)
            }
            guard let state = FilePath(installation.state) else { throw TestServerError("no path") }
            let table = try JobTable.openForDaemon(Places(below: state))
            let deadTimes = try claims(table, Origin(scheme: .ftp, host: "127.0.0.1", port: Int(dead)))
            let liveTimes = try claims(table, Origin(scheme: .ftp, host: "127.0.0.1", port: Int(live.port)))
            return Times(dead: deadTimes.median, live: liveTimes.median, status: status.median)
        }

        /// Claims four jobs at a time and gives them back.
        private func claims(_ table: JobTable, _ origin: Origin) throws -> [Duration] {
            var clock = timespec()
            clock_gettime(CLOCK_REALTIME, &clock)
            let now = Timestamp(rawValue: Int64(clock.tv_sec) * 1000)
            return try (0..<25).map { _ in
                let start = ContinuousClock.now
                let committed = try table.commit(
                    Turn(claims: [Turn.Claim(origin: origin, count: 4)]), at: now)
                let time = ContinuousClock.now - start
                let back = committed.claimed.map { job in
                    JobChange.ended(
                        job.id,
                        Ending(
                            state: .queued(retryAt: nil), attempts: job.attempts, start: .zero, offset: .zero,
                            limit: job.limit, stage: job.stage))
                }
                _ = try table.commit(Turn(changes: back), at: now)
                return time
            }
        }
    }
}
