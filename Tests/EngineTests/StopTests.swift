import TestServers
import Testing
import TransferEngine
import TransferModel

@Suite struct `Jobs that are stopped` {
    /// A lane inside libcurl's blocking wait for a 226 that never comes.
    private func stuck(
        _ body: (ScriptedFTPServer, LaneRig, Job) async throws -> Void
    ) async throws {
        let server = try ScriptedFTPServer { $0.verb == "STOR" ? .silent : .right }
        let rig = try LaneRig(TemporaryDirectory(), url: server.url)
        let job = try rig.upload(rig.source(.pattern(1_000)), to: "\(server.url)/in.bin")
        rig.start(job)
        try await eventually("the data is there") {
            server.files.paths.first.flatMap { server.files[raw: $0]?.count } == 1_000
        }
        try await body(server, rig, job)
    }

    @Test func `a job whose 226 never comes is cancelled within a second and its file removed`() async throws
    {
        try await stuck { server, rig, job in
            let start = ContinuousClock.now
            rig.lane.cancel(job.id)
            let ended = await rig.end(of: job)
            #expect(ended.outcome == .cancelled)
            // libcurl's own wait is a minute; a busy machine takes its part of a second.
            #expect(ContinuousClock.now - start < .seconds(isTorture ? 1 : 10))
            try await eventually("the temporary file is removed") { server.files.names.isEmpty }
        }
    }

    @Test func `an interrupted job leaves what it sent and goes on from there`() async throws {
        try await stuck { server, rig, job in
            rig.lane.interrupt(job.id)
            let ended = await rig.end(of: job)
            #expect(ended.outcome == .interrupted)
            #expect(server.files.names.count == 1)
            let second = await rig.run(rig.next(job, after: ended))
            #expect(second.hasArrived, "\(second)")
            #expect(server.commands.count { $0.verb == "STOR" } == 1)
        }
    }

    @Test func `a job that waits for its stage to be recorded is cancelled`() async throws {
        let server = try ScriptedFTPServer()
        let rig = try LaneRig(TemporaryDirectory(), url: server.url, isDurable: false)
        let job = try rig.upload(rig.source(.pattern(1_000)), to: "\(server.url)/in.bin")
        rig.start(job)
        try await eventually("the stage was asked for") { rig.stages.last == .renaming }
        rig.lane.cancel(job.id)
        let ended = await rig.end(of: job)
        #expect(ended.outcome == .cancelled)
        #expect(ended.stage == .sending)
        #expect(!server.lines.contains { $0.hasPrefix("RNTO") })
    }

    @Test func `another job's number stops nothing`() async throws {
        let server = try ScriptedFTPServer()
        let rig = try LaneRig(TemporaryDirectory(), url: server.url)
        let job = try rig.upload(rig.source(.pattern(1_000)), to: "\(server.url)/in.bin")
        rig.lane.cancel(JobID(rawValue: 99))
        #expect(await rig.run(job).hasArrived)
    }

    @Test func `a closed lane says so and takes no more`() async throws {
        try await stuck { _, rig, job in
            rig.lane.close()
            #expect(await rig.end(of: job).outcome == .interrupted)
            try await eventually("the lane is closed") { rig.isClosed }
            let late = try rig.upload(rig.source(.pattern(1)), to: "\(job.url)2")
            #expect(await rig.run(late).outcome == .interrupted)
        }
    }

    @Test func `an idle lane closes`() async throws {
        let server = try ScriptedFTPServer()
        let rig = try LaneRig(TemporaryDirectory(), url: server.url, idleTimeout: .milliseconds(50))
        #expect(await rig.run(try rig.upload(rig.source(.pattern(1)), to: "\(server.url)/a")).hasArrived)
        try await eventually("the lane is closed") { rig.isClosed }
    }

    @Test func `a server that reads nothing is given up`() async throws {
        var settings = OriginSettings(name: "test")
        settings.stallTimeout = .seconds(1)
        let server = try ScriptedFTPServer { command in
            guard command.verb == "STOR" else { return .right }
            var behaviour = FTPBehaviour()
            behaviour.bytesPerSecond = 1
            return behaviour
        }
        let rig = try LaneRig(TemporaryDirectory(), url: server.url, settings: settings)
        let job = try rig.upload(
            rig.source(.bytes(Array(repeating: 1, count: 16_000_000))), to: "\(server.url)/in.bin")
        let ended = await rig.run(job)
        #expect(ended.failure?.class == .temporary, "\(ended)")
        #expect(ended.failure?.text.contains("no byte moved") == true, "\(ended)")
    }
}
