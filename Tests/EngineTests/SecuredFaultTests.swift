import TestServers
import Testing
import TransferEngine
import TransferModel

@Suite struct `TLS that is required` {
    private func expectStopped(_ ended: Ended) {
        #expect(ended.failure?.class == .permanent, "\(ended)")
        #expect(ended.failure?.scope == .login, "\(ended)")
    }

    @Test(arguments: ["500 Unknown.", "502 Not here.", "534 Policy.", "431 No certificate."])
    func `AUTH refused in whatever words: no name, no password and no file in clear`(reply: String)
        async throws
    {
        let directory = try TemporaryDirectory()
        let scene = try await SecuredScene(directory) { $0.verb == "AUTH" ? .replies(reply) : .right }
        let ended = await scene.rig.run(try scene.upload(10))
        expectStopped(ended)
        #expect(ended.failure?.text.contains("TLS is required") == true, "\(ended)")
        #expect(!scene.sawLogin)
        #expect(scene.server.files.names.isEmpty)
    }

    @Test func `a server that is full at AUTH is asked again later, and told nothing`() async throws {
        let directory = try TemporaryDirectory()
        let scene = try await SecuredScene(directory) { $0.verb == "AUTH" ? .replies("421 Full.") : .right }
        let ended = await scene.rig.run(try scene.upload(10))
        #expect(ended.failure?.class == .temporary, "\(ended)")
        #expect(ended.failure?.isCrowded == true)
        #expect(!scene.sawLogin)
    }

    @Test(arguments: ["536 Not here.", "500 Unknown.", "431 For now.", "534 Policy."])
    func `PROT P refused: the file is not sent`(reply: String) async throws {
        let directory = try TemporaryDirectory()
        let scene = try await SecuredScene(directory) { $0.verb == "PROT" ? .replies(reply) : .right }
        let ended = await scene.rig.run(try scene.upload(10))
        expectStopped(ended)
        #expect(!scene.server.commands.contains { ["STOR", "EPSV", "PASV"].contains($0.verb) })
        #expect(scene.server.files.names.isEmpty)
    }

    @Test(arguments: [
        "230 Logged in.", "331 And your password?", "200 PROT ok.\r\n230 Logged in.", "234 Again.",
    ])
    func `words behind the reply to AUTH end it loudly, whether TLS follows or not`(words: String)
        async throws
    {
        let directory = try TemporaryDirectory()
        let scene = try await SecuredScene(directory) {
            $0.verb == "AUTH" ? .endsWith("234 Go ahead.\r\n\(words)") : .right
        }
        let ended = await scene.rig.run(try scene.upload(10))
        expectStopped(ended)
        #expect(ended.failure?.text.contains("stranger") == true, "\(ended)")
        #expect(!scene.sawLogin)
    }

    @Test func `a server that consents to TLS and goes on in clear is told nothing`() async throws {
        let scene = try await SecuredScene(try TemporaryDirectory())
        let server = try ScriptedFTPServer { $0.verb == "AUTH" ? .replies("234 Go ahead.") : .right }
        let rig = try LaneRig(
            scene.rig.directory, url: server.url, settings: scene.rig.settings, login: scene.rig.login)
        let ended = await rig.run(try rig.upload(rig.source(.pattern(10)), to: "\(server.url)/x"))
        #expect(ended.failure != nil)
        #expect(!server.commands.contains { $0.verb == "USER" || $0.verb == "PASS" })
    }
}

@Suite struct `Data connections over TLS that die` {
    @Test func `the control connection that drops after all the data leaves a whole file that is renamed`()
        async throws
    {
        let directory = try TemporaryDirectory()
        let scene = try await SecuredScene(directory) { $0.verb == "STOR" ? .closesConnection : .right }
        let ended = await scene.rig.run(try scene.upload(100_000))
        #expect(ended.hasArrived, "\(ended)")
        #expect(scene.holdsOnly(100_000))
        #expect(scene.server.commands.count { $0.verb == "STOR" } == 1)
    }

    @Test func `a data connection that is cut loses nothing`() async throws {
        let directory = try TemporaryDirectory()
        let scene = try await SecuredScene(directory) {
            $0.verb == "STOR" && $0.occurrence == 0 ? .cutsData(after: 40_000) : .right
        }
        let job = try scene.upload(3_000_000)
        var ended = await scene.rig.run(job)
        if !ended.hasArrived {
            #expect(ended.failure?.class == .temporary, "\(ended)")
            ended = await scene.rig.run(scene.rig.next(job, after: ended))
        }
        #expect(ended.hasArrived, "\(ended)")
        #expect(scene.holdsOnly(3_000_000))
    }

    @Test func `a data connection that ends without a word is no reason to doubt a whole download`()
        async throws
    {
        let directory = try TemporaryDirectory()
        let scene = try await SecuredScene(directory) { command in
            var behaviour = FTPBehaviour()
            behaviour.omitsEnd = command.verb == "RETR"
            return behaviour
        }
        scene.server.files["/f"] = TestContent.pattern(300_000).bytes
        let ended = await scene.rig.run(try scene.rig.download("\(scene.server.url)/f"))
        #expect(ended.hasArrived, "\(ended)")
        #expect(TestFile.sha256(scene.rig.downloaded()) == TestContent.pattern(300_000).sha256)
    }

    @Test(arguments: [true, false])
    func `a download that is cut is never taken for whole`(tellsEnd: Bool) async throws {
        let directory = try TemporaryDirectory()
        let scene = try await SecuredScene(directory) { command in
            guard command.verb == "RETR" else { return .right }
            var behaviour = FTPBehaviour.cutsData(after: 100_000)
            behaviour.finalReply = "226 Sent."
            behaviour.omitsEnd = !tellsEnd
            return behaviour
        }
        scene.server.files["/f"] = TestContent.pattern(300_000).bytes
        let ended = await scene.rig.run(try scene.rig.download("\(scene.server.url)/f"))
        #expect(ended.failure?.class == .temporary, "\(ended)")
        #expect(try scene.rig.downloads().allSatisfy { $0.hasSuffix(".part") })
    }

    @Test func `half stored and called whole is found out before the rename`() async throws {
        let directory = try TemporaryDirectory()
        let scene = try await SecuredScene(directory) { $0.verb == "STOR" ? .stores(atMost: 500) : .right }
        let ended = await scene.rig.run(try scene.upload(1_000))
        #expect(ended.failure?.class == .temporary, "\(ended)")
        #expect(!scene.server.commands.contains { $0.verb == "RNFR" })
    }

    @Test func `proftpd that is killed while it takes a file loses nothing`() async throws {
        let directory = try TemporaryDirectory()
        let server = try await ProftpdServer.start(
            in: directory, tls: .explicit, extra: ["TransferRate STOR 500:0"])
        let settings = OriginSettings.secured(by: try await TestCertificates.make(in: directory))
        let rig = try LaneRig(directory, url: server.url, settings: settings, login: server.login)
        let job = try rig.upload(rig.source(.pattern(2_000_000)), to: "\(server.url)/x")
        rig.start(job)
        try await eventually("data at the server") {
            try TestFile.names(in: server.home).contains {
                (TestFile.size("\(server.home)/" + String(decoding: $0, as: UTF8.self)) ?? 0) > 0
            }
        }
        try await server.process.restart()
        var ended = await rig.end(of: job)
        #expect(!ended.hasArrived)
        #expect(TestFile.size("\(server.home)/x") == nil)
        ended = await rig.run(rig.next(job, after: ended))
        #expect(ended.hasArrived, "\(ended)")
        #expect(TestFile.sha256("\(server.home)/x") == TestContent.pattern(2_000_000).sha256)
        await server.stop()
    }
}
