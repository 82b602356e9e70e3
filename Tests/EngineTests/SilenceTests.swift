import TestServers
import Testing
import TransferEngine
import TransferModel

@Suite struct `Servers that fall silent` {
    private static func quick() -> OriginSettings {
        var settings = OriginSettings(name: "test")
        settings.connectTimeout = .seconds(1)
        settings.stallTimeout = .seconds(1)
        return settings
    }

    @Test(arguments: [
        ("CONNECT", "waiting for the greeting"), ("USER", "logging in"), ("PASS", "logging in"),
        ("EPSV", "waiting for the reply to a command"), ("TYPE", "opening the data connection"),
    ])
    func `a job that is given up says in which step and for how long nothing came`(verb: String, step: String)
        async throws
    {
        let server = try ScriptedFTPServer { $0.verb == verb ? .silent : .right }
        let rig = try LaneRig(TemporaryDirectory(), url: server.url, settings: Self.quick())
        let ended = await rig.run(try rig.upload(rig.source(.pattern(10)), to: "\(server.url)/f"))
        #expect(ended.failure?.class == .temporary, "\(ended)")
        #expect(ended.failure?.text.contains("while \(step)") == true, "\(ended)")
        #expect(ended.failure?.text.contains("no byte moved for") == true, "\(ended)")
        #expect(
            rig.notices.contains { $0.contains("while \(step); it is given up after 1 s") }, "\(rig.notices)")
    }

    @Test func `a server that consents to TLS and then says nothing is told so`() async throws {
        let server = try ScriptedFTPServer { command in
            switch command.verb {
            case "CONNECT": .right
            case "AUTH": .replies("234 Go ahead.")
            default: .silent
            }
        }
        var settings = Self.quick()
        settings.tls = .require
        let rig = try LaneRig(TemporaryDirectory(), url: server.url, settings: settings)
        let ended = await rig.run(try rig.upload(rig.source(.pattern(10)), to: "\(server.url)/f"))
        #expect(ended.failure?.class == .temporary, "\(ended)")
        #expect(ended.failure?.text.contains("while setting up TLS") == true, "\(ended)")
    }

    @Test(arguments: ["PBSZ", "PROT", "EPSV"])
    func `a server that falls silent over TLS is told so`(verb: String) async throws {
        let scene = try await SecuredScene(try TemporaryDirectory()) {
            $0.verb == verb ? .silent : .right
        } change: {
            $0.stallTimeout = .seconds(1)
        }
        let ended = await scene.rig.run(try scene.upload(10))
        #expect(ended.failure?.class == .temporary, "\(ended)")
        #expect(ended.failure?.text.contains("while waiting for the reply to a command") == true, "\(ended)")
    }

    @Test func `a download that stops in the middle says so and goes on from there`() async throws {
        let server = try ScriptedFTPServer { command in
            var behaviour = FTPBehaviour()
            if command.verb == "RETR", command.occurrence == 0 { behaviour.bytesPerSecond = 50 }
            return behaviour
        }
        server.files["/f"] = TestContent.pattern(100_000).bytes
        let rig = try LaneRig(TemporaryDirectory(), url: server.url, settings: Self.quick())
        let job = try rig.download("\(server.url)/f")
        rig.start(job)
        try await eventually("the server sends") { server.commands.contains { $0.verb == "RETR" } }
        server.cutConnections()
        let ended = await rig.end(of: job)
        #expect(ended.failure?.class == .temporary, "\(ended)")
        let second = await rig.run(rig.next(job, after: ended))
        #expect(second.hasArrived, "\(second)")
        #expect(TestFile.sha256(rig.downloaded()) == TestContent.pattern(100_000).sha256)
    }

    @Test func `a name that nobody resolves is told as such`() async throws {
        let url = "ftp://files.invalid:2121"
        let rig = try LaneRig(TemporaryDirectory(), url: url, settings: Self.quick())
        let ended = await rig.run(try rig.upload(rig.source(.pattern(10)), to: "\(url)/f"))
        #expect(ended.failure?.scope == .origin, "\(ended)")
        #expect(ended.failure?.class == .temporary, "\(ended)")
    }
}
