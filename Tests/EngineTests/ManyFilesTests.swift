import Glibc
import TestServers
import Testing
import TransferEngine
import TransferModel

/// Whether the long versions of the tests run.
let isTorture = getenv("TRANSFERD_TORTURE") != nil

/// What provokes libcurl's EPSV hang: many small uploads one after the other over one connection.
@Suite(.serialized) struct `Many small files over one lane` {
    @Test func `none stalls`() async throws {
        let directory = try TemporaryDirectory()
        let server = try await VsftpdServer.start(in: directory)
        // A hang that nobody ends is one that the stall clock ends, as a failure.
        var settings = OriginSettings(name: "test")
        settings.stallTimeout = .seconds(10)
        let rig = try LaneRig(directory, url: server.url, settings: settings)
        let source = try rig.source(.pattern(4_096))
        let files = isTorture ? 2_000 : 200
        for round in 0..<(isTorture ? 20 : 5) {
            for file in 0..<files {
                let ended = await rig.run(try rig.upload(source, to: "\(server.url)/\(round)-\(file)"))
                try #require(ended.hasArrived, "\(ended)")
            }
        }
        #expect(try TestFile.names(in: server.home).count == files * (isTorture ? 20 : 5))
        await server.stop()
    }
}
