import TestServers
import Testing
import TransferEngine
import TransferModel

@Suite struct `TLS sessions of data connections` {
    /// Sends `count` files one after the other and expects all of them.
    private func sendAll(_ count: Int, _ scene: SecuredScene) async throws {
        for number in 0..<count {
            let ended = await scene.rig.run(try scene.upload(20_000 + number, to: "/\(number)"))
            #expect(ended.hasArrived, "\(ended)")
            let isWhole = scene.server.files["/\(number)"] == TestContent.pattern(20_000 + number).bytes
            #expect(isWhole)
        }
    }

    @Test(arguments: [
        "522 TLS session of data connection not reused.", "425 Unable to build data connection.",
    ])
    func `a server that refuses resumed sessions gets whole files at no attempt's cost, and it is said once`(
        refusal: String
    ) async throws {
        let directory = try TemporaryDirectory()
        let scene = try await SecuredScene(directory) { command in
            var behaviour = FTPBehaviour()
            if command.verb == "STOR" { behaviour.sessionRule = .new(elseReplies: refusal) }
            return behaviour
        }
        try await sendAll(6, scene)
        #expect(scene.rig.notices.count { $0.contains("no longer resumed") } == 1, "\(scene.rig.notices)")
        // Twice in vain for what was certain, and for what may be a firewall's words once more.
        #expect(scene.server.commands.count { $0.verb == "STOR" } <= 6 + 4)
    }

    @Test func `a server that takes one transfer a connection gets each over a fresh one`() async throws {
        let directory = try TemporaryDirectory()
        let transfers = ConnectionCount()
        let scene = try await SecuredScene(directory) { command in
            guard command.verb == "STOR", transfers.next(command.connection) > 0 else { return .right }
            var behaviour = FTPBehaviour()
            behaviour.sessionRule = .never(elseReplies: "522 A session is good for one transfer.")
            return behaviour
        }
        try await sendAll(5, scene)
        #expect(
            scene.rig.notices.count { $0.contains("a connection of its own") } == 1, "\(scene.rig.notices)")
        // A refusal whose words come too late to be read has to come twice.
        #expect((6...7).contains(scene.server.commands.count { $0.verb == "STOR" }))
        #expect(scene.server.connections <= 9)
    }

    @Test func `a download from a server that refuses resumed sessions arrives whole`() async throws {
        let directory = try TemporaryDirectory()
        let scene = try await SecuredScene(directory) { command in
            var behaviour = FTPBehaviour()
            if command.verb == "RETR" { behaviour.sessionRule = .new(elseReplies: "522 Session reused.") }
            return behaviour
        }
        scene.server.files["/f"] = TestContent.pattern(50_000).bytes
        let ended = await scene.rig.run(try scene.rig.download("\(scene.server.url)/f"))
        #expect(ended.hasArrived, "\(ended)")
        #expect(TestFile.sha256(scene.rig.downloaded()) == TestContent.pattern(50_000).sha256)
    }

    @Test(arguments: [TLSVersion.tls12, .tls13])
    func `vsftpd with require_ssl_reuse gets whole files`(version: TLSVersion) async throws {
        let directory = try TemporaryDirectory()
        let server = try await VsftpdServer.start(in: directory, tls: .explicit)
        var settings = OriginSettings.secured(by: try await TestCertificates.make(in: directory))
        settings.trust.tlsMaximum = version
        let rig = try LaneRig(directory, url: server.url, settings: settings)
        for number in 0..<6 {
            let job = try rig.upload(rig.source(.pattern(1_000)), to: "\(server.url)/\(number)")
            let ended = await rig.run(job)
            #expect(ended.hasArrived, "\(number) \(ended)")
        }
        print(
            "vsftpd", version, rig.notices,
            TestFile.text(server.log).split(separator: "\n").count { $0.contains("CONNECT") })
        await server.stop()
    }

    @Test(arguments: [TLSVersion.tls12, .tls13])
    func `proftpd that demands session reuse gets whole files`(version: TLSVersion) async throws {
        let directory = try TemporaryDirectory()
        let server = try await ProftpdServer.start(in: directory, tls: .explicit)
        var settings = OriginSettings.secured(by: try await TestCertificates.make(in: directory))
        settings.trust.tlsMaximum = version
        let rig = try LaneRig(directory, url: server.url, settings: settings, login: server.login)
        for number in 0..<6 {
            let job = try rig.upload(rig.source(.pattern(1_000)), to: "\(server.url)/\(number)")
            let ended = await rig.run(job)
            #expect(ended.hasArrived, "\(number) \(ended)")
        }
        #expect(rig.notices.count { $0.contains("refused a data connection") } == (version == .tls13 ? 1 : 0))
        await server.stop()
    }
}
