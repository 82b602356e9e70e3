import Glibc
import TestServers
import Testing
import TransferEngine
import TransferModel

@Suite struct `Ways through a proxy` {
    private func settings(
        _ scheme: ProxyAddress.Scheme, _ proxy: ScriptedProxy, _ settings: OriginSettings? = nil
    ) -> OriginSettings {
        var settings = settings ?? OriginSettings(name: "test")
        settings.connectTimeout = .seconds(5)
        settings.stallTimeout = .seconds(5)
        settings.path.proxy = ProxyAddress(scheme: scheme, host: "127.0.0.1", port: Int(proxy.port))
        return settings
    }

    private static func kind(_ scheme: ProxyAddress.Scheme) -> ScriptedProxy.Kind {
        switch scheme {
        case .http, .https: .http
        case .socks5, .socks5h: .socks5
        }
    }

    @Test(arguments: [ProxyAddress.Scheme.socks5, .socks5h, .http])
    func `all connections of a file go through the proxy, with its login`(scheme: ProxyAddress.Scheme)
        async throws
    {
        let proxy = try ScriptedProxy(Self.kind(scheme), login: "me:se cret")
        let server = try ScriptedFTPServer()
        // A name that nobody here has: only the proxy can know it.
        let host = scheme == .socks5 ? "127.0.0.1" : "files.invalid"
        let url = "ftp://\(host):\(server.port)"
        let rig = try LaneRig(
            TemporaryDirectory(), url: url, settings: settings(scheme, proxy),
            proxyLogin: Credentials(user: "me", password: "se cret"))
        let ended = await rig.run(try rig.upload(rig.source(.pattern(50_000)), to: "\(url)/f"))
        #expect(ended.hasArrived, "\(ended)")
        #expect(server.files["/f"] == TestContent.pattern(50_000).bytes)
        let wishes = proxy.wishes
        #expect(wishes.count == 2)
        #expect(wishes.first?.port == server.port)
        #expect(wishes.allSatisfy { $0.login == "me:se cret" })
        #expect(wishes.first?.isName == (scheme != .socks5), "\(wishes)")
    }

    @Test(arguments: [ProxyAddress.Scheme.socks5, .http])
    func `FTP over TLS goes through the proxy`(scheme: ProxyAddress.Scheme) async throws {
        let directory = try TemporaryDirectory()
        let proxy = try ScriptedProxy(Self.kind(scheme))
        let server = try await VsftpdServer.start(in: directory, tls: .explicit)
        let secured = OriginSettings.secured(by: try await TestCertificates.make(in: directory))
        let rig = try LaneRig(directory, url: server.url, settings: settings(scheme, proxy, secured))
        for number in 0..<3 {
            let ended = await rig.run(
                try rig.upload(rig.source(.pattern(50_000)), to: "\(server.url)/\(number)"))
            #expect(ended.hasArrived, "\(ended)")
        }
        #expect(proxy.wishes.count == 4)
        await server.stop()
    }

    @Test(arguments: [ProxyAddress.Scheme.socks5, .http])
    func `a proxy that wants another login stops the login, and the server hears nothing`(
        scheme: ProxyAddress.Scheme
    ) async throws {
        for shown in [nil, Credentials(user: "me", password: "wrong")] {
            let proxy = try ScriptedProxy(Self.kind(scheme), login: "me:right")
            let server = try ScriptedFTPServer()
            let rig = try LaneRig(
                TemporaryDirectory(), url: server.url, settings: settings(scheme, proxy), proxyLogin: shown)
            let ended = await rig.run(try rig.upload(rig.source(.pattern(10)), to: "\(server.url)/f"))
            #expect(ended.failure?.class == .permanent, "\(ended)")
            #expect(ended.failure?.scope == .login, "\(ended)")
            #expect(ended.failure?.text.contains("the proxy wants a login") == true, "\(ended)")
            #expect(server.connections == 0)
        }
    }

    @Test(arguments: [
        (ProxyAddress.Scheme.socks5, 2, Failure.Class.permanent), (.socks5, 4, .temporary),
        (.socks5, 5, .temporary),
        (.http, 403, .permanent), (.http, 502, .temporary), (.http, 503, .temporary),
    ])
    func `a proxy's refusal is told from the server's`(
        scheme: ProxyAddress.Scheme, code: Int, meaning: Failure.Class
    ) async throws {
        let proxy = try ScriptedProxy(Self.kind(scheme)) { _, _ in .refuse(code) }
        let server = try ScriptedFTPServer()
        let rig = try LaneRig(TemporaryDirectory(), url: server.url, settings: settings(scheme, proxy))
        let ended = await rig.run(try rig.upload(rig.source(.pattern(10)), to: "\(server.url)/f"))
        #expect(ended.failure?.class == meaning, "\(ended)")
        #expect(ended.failure?.scope == (meaning == .permanent ? .login : .origin), "\(ended)")
        #expect(ended.failure?.text.contains("proxy") == true, "\(ended)")
    }

    @Test func `a proxy that allows no data connection is told so`() async throws {
        let proxy = try ScriptedProxy(.http) { _, number in number == 0 ? .connect : .refuse(403) }
        let server = try ScriptedFTPServer { $0.verb == "PASV" ? .replies("500 No.") : .right }
        let rig = try LaneRig(TemporaryDirectory(), url: server.url, settings: settings(.http, proxy))
        let ended = await rig.run(try rig.upload(rig.source(.pattern(10)), to: "\(server.url)/f"))
        #expect(ended.failure?.text.contains("the data connection") == true, "\(ended)")
    }

    @Test(arguments: [ProxyAddress.Scheme.socks5, .http])
    func `a proxy that is not there, or says nothing, backs the origin off`(scheme: ProxyAddress.Scheme)
        async throws
    {
        let server = try ScriptedFTPServer()
        let gone = try ScriptedProxy(Self.kind(scheme))
        gone.stop()
        let silent = try ScriptedProxy(Self.kind(scheme)) { _, _ in .silence }
        for proxy in [gone, silent] {
            var settings = settings(scheme, proxy)
            settings.connectTimeout = .seconds(1)
            let rig = try LaneRig(TemporaryDirectory(), url: server.url, settings: settings)
            let ended = await rig.run(try rig.upload(rig.source(.pattern(10)), to: "\(server.url)/f"))
            #expect(ended.failure?.class == .temporary, "\(ended)")
            #expect(ended.failure?.scope == .origin, "\(ended)")
        }
        #expect(server.connections == 0)
    }

    @Test func `the environment's proxies are not asked`() async throws {
        let proxy = try ScriptedProxy(.http)
        for name in ["ftp_proxy", "http_proxy", "all_proxy", "ALL_PROXY"] {
            setenv(name, "http://127.0.0.1:\(proxy.port)", 1)
        }
        defer { for name in ["ftp_proxy", "http_proxy", "all_proxy", "ALL_PROXY"] { unsetenv(name) } }
        let server = try ScriptedFTPServer()
        let rig = try LaneRig(TemporaryDirectory(), url: server.url)
        #expect(await rig.run(try rig.upload(rig.source(.pattern(10)), to: "\(server.url)/f")).hasArrived)
        #expect(proxy.connections == 0)
    }

    @Test func `a host that the environment wants no proxy for goes through the proxy`() async throws {
        setenv("no_proxy", "*", 1)
        defer { unsetenv("no_proxy") }
        let proxy = try ScriptedProxy(.http)
        let server = try ScriptedFTPServer()
        let rig = try LaneRig(TemporaryDirectory(), url: server.url, settings: settings(.http, proxy))
        #expect(await rig.run(try rig.upload(rig.source(.pattern(10)), to: "\(server.url)/f")).hasArrived)
        #expect(proxy.connections == 2)
    }
}
