import TestServers
import Testing
import TransferEngine
import TransferModel

@Suite struct `Transfers at a rate` {
    private static let content = TestContent.pattern(1 << 20)

    private static func server() throws -> ScriptedHTTPServer {
        try ScriptedHTTPServer { .object(content, for: $0, etag: "\"v1\"") }
    }

    /// Runs the job at a rate; how long it took. Of half a second a tenth is saved up in the rest before, and the last piece,
    /// at most a tenth, is not waited for.
    private static func run(_ rig: LaneRig, _ job: Job, _ limiter: RateLimiter) async -> (Ended, Duration) {
        let start = ContinuousClock.now
        rig.start(job, rates: Rates([RateLimiter(), limiter]))
        return (await rig.end(of: job), ContinuousClock.now - start)
    }

    @Test func `a download takes as long as its rate says and arrives whole`() async throws {
        try await withTemporaryDirectory { directory in
            let server = try Self.server()
            let rig = try LaneRig(directory, url: server.url)
            let limiter = RateLimiter(Rate(bytesPerSecond: 2 << 20))
            let (ended, time) = await Self.run(rig, try rig.download("\(server.url)/x"), limiter)
            #expect(ended.hasArrived, "\(ended)")
            #expect(time >= .milliseconds(300))
            let isSame = try TestFile.read(rig.downloaded()) == Self.content.bytes
            #expect(isSame)
        }
    }

    @Test func `an upload takes as long as its rate says and arrives whole`() async throws {
        let server = try ScriptedFTPServer()
        let rig = try LaneRig(TemporaryDirectory(), url: server.url)
        let job = try rig.upload(rig.source(Self.content), to: "\(server.url)/in")
        let (ended, time) = await Self.run(rig, job, RateLimiter(Rate(bytesPerSecond: 2 << 20)))
        #expect(ended.hasArrived, "\(ended)")
        #expect(time >= .milliseconds(300))
        #expect(server.files.names == ["/in"])
    }

    @Test func `a rate that is lifted while bytes wait holds nobody up`() async throws {
        try await withTemporaryDirectory { directory in
            let server = try Self.server()
            let rig = try LaneRig(directory, url: server.url)
            let limiter = RateLimiter(Rate(bytesPerSecond: 1_000))
            let progress = Progress()
            let job = try rig.download("\(server.url)/x")
            rig.start(job, progress: progress, rates: Rates([limiter]))
            try await eventually("the server was asked") { server.requests.count == 1 }
            limiter.set(nil)
            #expect(await rig.end(of: job).hasArrived)
        }
    }

    @Test func `a job that waits for its rate is cancelled at once`() async throws {
        try await withTemporaryDirectory { directory in
            let server = try Self.server()
            let rig = try LaneRig(directory, url: server.url)
            let job = try rig.download("\(server.url)/x")
            rig.start(job, rates: Rates([RateLimiter(Rate(bytesPerSecond: 1_000))]))
            try await eventually("the server was asked") { server.requests.count == 1 }
            rig.lane.cancel(job.id)
            guard case .cancelled = await rig.end(of: job).outcome else {
                Issue.record("the job did not end as cancelled")
                return
            }
        }
    }
}
