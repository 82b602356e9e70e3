import TestServers
import Testing
import TransferEngine
import TransferModel

@Suite struct `Ways of data connections` {
    /// Sends and fetches a file; the commands that vsftpd got.
    private func exchange(
        _ server: VsftpdServer, host: String = "127.0.0.1", _ settings: OriginSettings,
        _ directory: TemporaryDirectory
    ) async throws -> String {
        let url = "ftp://\(host):\(server.port)"
        let rig = try LaneRig(directory, url: url, settings: settings)
        let content = TestContent.pattern(70_000)
        let up = await rig.run(try rig.upload(rig.source(content), to: "\(url)/f"))
        #expect(up.hasArrived, "\(up)")
        let down = await rig.run(try rig.download("\(url)/f"))
        #expect(down.hasArrived, "\(down)")
        #expect(TestFile.sha256(rig.downloaded()) == content.sha256)
        await server.stop()
        return TestFile.text(server.log)
    }

    private func settings(_ change: (inout OriginSettings) -> Void) -> OriginSettings {
        var settings = OriginSettings(name: "test")
        settings.connectTimeout = .seconds(5)
        settings.stallTimeout = .seconds(5)
        change(&settings)
        return settings
    }

    private static let onlyActive = ["pasv_enable=NO", "port_enable=YES"]
    private static let onIPv6 = ["listen=NO", "listen_ipv6=YES", "listen_address6=::1"]

    @Test(arguments: [nil, "127.0.0.1", "lo"] as [String?])
    func `active mode, by whatever address, brings files there and back`(address: String?) async throws {
        let directory = try TemporaryDirectory()
        let server = try await VsftpdServer.start(in: directory, extra: Self.onlyActive)
        let log = try await exchange(
            server,
            settings {
                $0.data.mode = .active
                $0.data.activeAddress = address
            }, directory)
        #expect(log.contains("EPRT |1|127.0.0.1|"))
    }

    @Test func `active mode without EPRT says PORT`() async throws {
        let directory = try TemporaryDirectory()
        let server = try await VsftpdServer.start(in: directory, extra: Self.onlyActive)
        let log = try await exchange(
            server,
            settings {
                $0.data.mode = .active
                $0.data.extended = false
            }, directory)
        #expect(log.contains("PORT 127,0,0,1,"))
        #expect(!log.contains("EPRT"))
    }

    @Test func `active mode goes over IPv6`() async throws {
        let directory = try TemporaryDirectory()
        let server = try await VsftpdServer.start(in: directory, extra: Self.onlyActive + Self.onIPv6)
        let log = try await exchange(
            server, host: "[::1]", settings { $0.data.mode = .active }, directory)
        #expect(log.contains("EPRT |2|::1|"))
    }

    @Test(arguments: [true, false]) func `passive mode goes over IPv6, asked for EPSV or not`(extended: Bool)
        async throws
    {
        let directory = try TemporaryDirectory()
        let server = try await VsftpdServer.start(in: directory, extra: Self.onIPv6)
        let log = try await exchange(
            server, host: "[::1]",
            settings {
                $0.data.extended = extended
                $0.path.addressFamily = .ipv6
            }, directory)
        #expect(log.contains("EPSV"))
    }

    @Test(arguments: ["229 Entering (|1|127.0.0.1|2121|)", "229 Yes"], [10, 100_000])
    func `a reply to EPSV that names no port leaves PASV, at once and for good`(reply: String, size: Int)
        async throws
    {
        let server = try ScriptedFTPServer { $0.verb == "EPSV" ? .replies(reply) : .right }
        let rig = try LaneRig(TemporaryDirectory(), url: server.url)
        for name in ["a", "b"] {
            let job = try rig.upload(rig.source(.pattern(size)), to: "\(server.url)/new/\(name)")
            let ended = await rig.run(job)
            #expect(ended.hasArrived, "\(ended)")
        }
        #expect(server.commands.count { $0.verb == "EPSV" } == 1)
    }

    @Test(arguments: [true, false])
    func `active mode over TLS, or through a proxy, is refused before anything is connected`(secured: Bool)
        async throws
    {
        let server = try ScriptedFTPServer()
        let settings = settings {
            $0.data.mode = .active
            if secured { $0.tls = .require } else { $0.path.proxy = ProxyAddress(scheme: .http, host: "p") }
        }
        let rig = try LaneRig(TemporaryDirectory(), url: server.url, settings: settings)
        let ended = await rig.run(try rig.upload(rig.source(.pattern(10)), to: "\(server.url)/f"))
        #expect(ended.failure?.class == .permanent, "\(ended)")
        #expect(ended.failure?.text.contains("'mode = passive'") == true, "\(ended)")
        #expect(server.connections == 0)
    }

    @Test func `a server that refuses active mode is told so with the key`() async throws {
        let directory = try TemporaryDirectory()
        let server = try await VsftpdServer.start(in: directory, extra: ["port_enable=NO"])
        let rig = try LaneRig(directory, url: server.url, settings: settings { $0.data.mode = .active })
        let ended = await rig.run(try rig.upload(rig.source(.pattern(10)), to: "\(server.url)/f"))
        #expect(ended.failure?.class == .permanent, "\(ended)")
        #expect(ended.failure?.text.contains("'mode'") == true, "\(ended)")
        await server.stop()
    }

    @Test func `without EPSV the server is asked for PASV`() async throws {
        let directory = try TemporaryDirectory()
        let server = try await VsftpdServer.start(in: directory)
        let log = try await exchange(server, settings { $0.data.extended = false }, directory)
        #expect(log.contains("PASV"))
        #expect(!log.contains("EPSV"))
    }

    @Test func `a server that lacks EPSV is asked for it once, whatever the number of connections`()
        async throws
    {
        let directory = try TemporaryDirectory()
        let server = try ScriptedFTPServer { $0.verb == "EPSV" ? .replies("500 Unknown.") : .right }
        let memory = OriginMemory()
        for number in 0..<3 {
            let rig = try LaneRig(directory, url: server.url, memory: memory)
            let job = try rig.upload(
                rig.source(.pattern(100)), to: "\(server.url)/\(number)", id: Int64(number + 1))
            #expect(await rig.run(job).hasArrived)
        }
        #expect(server.commands.count { $0.verb == "EPSV" } == 1)
        #expect(server.commands.count { $0.verb == "PASV" } == 3)
    }

    @Test(arguments: ["10,0,0,1", "192,168,1,1", "0,0,0,0", "203,0,113,9"])
    func `a PASV reply that names another address leads to the server all the same`(address: String)
        async throws
    {
        let server = try ScriptedFTPServer { command in
            if command.verb == "EPSV" { return .replies("500 Unknown.") }
            var behaviour = FTPBehaviour()
            behaviour.passiveAddress = address
            return behaviour
        }
        let rig = try LaneRig(TemporaryDirectory(), url: server.url)
        let ended = await rig.run(try rig.upload(rig.source(.pattern(1_000)), to: "\(server.url)/f"))
        #expect(ended.hasArrived, "\(ended)")
    }

    @Test func `EPSV and PASV refused is a failure in the server's words`() async throws {
        let server = try ScriptedFTPServer {
            ["EPSV", "PASV"].contains($0.verb) ? .replies("502 \($0.verb) is not for you.") : .right
        }
        let rig = try LaneRig(TemporaryDirectory(), url: server.url)
        let ended = await rig.run(try rig.upload(rig.source(.pattern(10)), to: "\(server.url)/f"))
        #expect(ended.failure?.text.contains("502 PASV is not for you.") == true, "\(ended)")
        #expect(!server.commands.contains { $0.verb == "STOR" })
    }

    @Test(arguments: ["127.0.0.5", "lo"]) func `a source address is used`(source: String) async throws {
        let directory = try TemporaryDirectory()
        let server = try await VsftpdServer.start(in: directory)
        let log = try await exchange(server, settings { $0.path.sourceAddress = source }, directory)
        #expect(log.contains(source == "lo" ? "Client \"127.0.0.1\"" : "Client \"127.0.0.5\""))
    }

    @Test(arguments: ["203.0.113.77", "nosuch0"])
    func `a source address that is not this machine's is this machine's trouble`(source: String) async throws
    {
        let server = try ScriptedFTPServer()
        let rig = try LaneRig(
            TemporaryDirectory(), url: server.url, settings: settings { $0.path.sourceAddress = source })
        let ended = await rig.run(try rig.upload(rig.source(.pattern(10)), to: "\(server.url)/f"))
        #expect(ended.failure?.class == .local, "\(ended)")
        #expect(ended.failure?.scope == .origin)
        #expect(ended.failure?.text.contains("'source_address'") == true, "\(ended)")
        #expect(server.connections == 0)
    }

    @Test func `an address family that the server does not have is not fallen back from`() async throws {
        let server = try ScriptedFTPServer()
        let url = "ftp://127.0.0.1:\(server.port)"
        let rig = try LaneRig(
            TemporaryDirectory(), url: url, settings: settings { $0.path.addressFamily = .ipv6 })
        let ended = await rig.run(try rig.upload(rig.source(.pattern(10)), to: "\(url)/f"))
        #expect(ended.failure?.scope == .origin, "\(ended)")
        #expect(server.connections == 0)
    }
}
