import Glibc
import TestServers
import Testing
import TransferEngine
import TransferModel

@Suite(.enabled(if: isTorture)) struct `Uploads that take their time` {
    @Test func `a 226 that comes after 65 seconds is not waited for and nothing is sent twice`() async throws
    {
        let server = try ScriptedFTPServer { $0.verb == "STOR" ? .late(by: .seconds(65)) : .right }
        let rig = try LaneRig(TemporaryDirectory(), url: server.url)
        let ended = await rig.run(try rig.upload(rig.source(.pattern(100_000)), to: "\(server.url)/in.bin"))
        #expect(ended.hasArrived, "\(ended)")
        #expect(server.files.names == ["/in.bin"])
        #expect(server.commands.count { $0.verb == "STOR" } == 1)
    }

    @Test func `one server's late 226 holds up no other lane`() async throws {
        let slow = try ScriptedFTPServer { $0.verb == "STOR" ? .late(by: .seconds(30)) : .right }
        let fast = try ScriptedFTPServer()
        let stuck = try LaneRig(TemporaryDirectory(), url: slow.url)
        let free = try LaneRig(TemporaryDirectory(), url: fast.url)
        let job = try stuck.upload(stuck.source(.pattern(1_000)), to: "\(slow.url)/in.bin")
        stuck.start(job)
        try await eventually("the data is there") { slow.files.names.count == 1 }
        for number in 0..<100 {
            let ended = await free.run(
                try free.upload(free.source(.pattern(1_000)), to: "\(fast.url)/\(number)"))
            #expect(ended.hasArrived, "\(ended)")
        }
        #expect(!stuck.hasEnded(job.id))
        #expect(await stuck.end(of: job).hasArrived)
    }

    @Test func `a file over 4 GiB arrives and is compared`() async throws {
        let directory = try TemporaryDirectory()
        let server = try await VsftpdServer.start(in: directory)
        let rig = try LaneRig(directory, url: server.url)
        let source = try rig.source(.bytes([1]))
        let size = (4 << 30) + 12_345
        #expect(truncate("\(directory.path)/spool/file.bin", size) == 0)
        let ended = await rig.run(try rig.upload(source, to: "\(server.url)/big"))
        #expect(ended.hasArrived, "\(ended)")
        #expect(TestFile.size("\(server.home)/big") == size)
        await server.stop()
    }
}
