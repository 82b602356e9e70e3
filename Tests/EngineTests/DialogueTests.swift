import TestServers
import Testing
import TransferModel

@testable import TransferEngine

/// The commands that put a file into place go over the control connection without libcurl.
@Suite struct DialogueTests {
    private func run(
        settings: OriginSettings = OriginSettings(name: "test"),
        _ script: @escaping @Sendable (FTPCommand) -> FTPBehaviour
    ) async throws -> (ended: Ended, server: ScriptedFTPServer) {
        let server = try ScriptedFTPServer(script: script)
        let rig = try LaneRig(TemporaryDirectory(), url: server.url, settings: settings)
        let job = try rig.upload(rig.source(.pattern(3_000)), to: server.url + "/in.bin")
        return (await rig.run(job), server)
    }

    private func impatient() -> OriginSettings {
        var settings = OriginSettings(name: "test")
        settings.stallTimeout = .seconds(1)
        return settings
    }

    @Test(arguments: [
        "350 ready", "350-ready\r\n350 go on", "350-one\r\n 250 not the end\r\n350 go on", "350 a\u{ff}b",
    ])
    func `replies of one line and of several are each one reply`(reply: String) async throws {
        let (ended, server) = try await run { command in
            var behaviour = FTPBehaviour.right
            if command.verb == "RNFR" { behaviour.finalReply = reply }
            return behaviour
        }
        #expect(ended.hasArrived, "\(ended)")
        #expect(server.commands.suffix(3).map(\.verb) == ["SIZE", "RNFR", "RNTO"])
        #expect(Set(server.commands.map(\.connection)) == [0])
        #expect(server.files.names == ["/in.bin"])
    }

    @Test func `a job after another goes on over the same connection`() async throws {
        let server = try ScriptedFTPServer { _ in .right }
        let rig = try LaneRig(TemporaryDirectory(), url: server.url)
        for number in 1...3 {
            let job = try rig.upload(
                rig.source(.pattern(number)), to: server.url + "/\(number)", id: Int64(number))
            #expect(await rig.run(job).hasArrived)
        }
        #expect(Set(server.commands.map(\.connection)) == [0])
        #expect(server.commands.count { $0.verb == "EPSV" } == 3)
    }

    @Test func `a goodbye instead of the first reply has the commands sent over a fresh connection`()
        async throws
    {
        let (ended, server) = try await run { command in
            command.verb == "SIZE" && command.connection == 0 ? .replies("421 too long idle") : .right
        }
        #expect(ended.hasArrived, "\(ended)")
        #expect(server.commands.count { $0.verb == "STOR" } == 1)
        #expect(server.files.names == ["/in.bin"])
    }

    @Test func `a goodbye after the first reply makes the job wait`() async throws {
        let (ended, server) = try await run { command in
            command.verb == "RNFR" && command.connection == 0 ? .replies("421 too long idle") : .right
        }
        #expect(ended.failure?.class == .temporary && ended.failure?.scope == .origin, "\(ended)")
        #expect(ended.failure?.code == 421 && ended.stage == .renaming)
        #expect(!server.commands.contains { $0.verb == "RNTO" })
    }

    @Test func `a reply that nobody asked for ends the connection, not the file`() async throws {
        let (ended, server) = try await run { command in
            var behaviour = FTPBehaviour.right
            if command.verb == "RNFR", command.connection == 0 {
                behaviour.finalReply = "350 yes\r\n250 what else"
            }
            return behaviour
        }
        #expect(ended.failure?.class == .temporary, "\(ended)")
        #expect(!server.commands.contains { $0.verb == "RNTO" })
        #expect(server.files.names.count == 1 && server.files.names != ["/in.bin"])
    }

    @Test func `silence after a command is noticed`() async throws {
        let (ended, server) = try await run(settings: impatient()) { command in
            var behaviour = FTPBehaviour.right
            if command.verb == "SIZE" { behaviour.isSilent = true }
            return behaviour
        }
        #expect(ended.failure?.class == .temporary, "\(ended)")
        #expect(!server.commands.contains { $0.verb == "RNTO" })
    }
}
