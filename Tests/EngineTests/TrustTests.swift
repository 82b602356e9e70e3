import TestServers
import Testing
import TransferEngine
import TransferModel

@Suite struct `Whom a connection trusts` {
    /// One file to a vsftpd that demands TLS, by settings that `change` makes of good ones.
    private func send(
        extra: [String] = [],
        _ change: (inout OriginSettings, TemporaryDirectory, TestCertificates) async throws -> Void
    ) async throws -> (Ended, log: String) {
        let directory = try TemporaryDirectory()
        let certificates = try await TestCertificates.make(in: directory)
        let server = try await VsftpdServer.start(in: directory, tls: .explicit, extra: extra)
        var settings = OriginSettings.secured(by: certificates)
        try await change(&settings, directory, certificates)
        let rig = try LaneRig(directory, url: server.url, settings: settings)
        let ended = await rig.run(try rig.upload(rig.source(.pattern(1_000)), to: "\(server.url)/x"))
        await server.stop()
        return (ended, TestFile.text(server.log))
    }

    private func expectStopped(_ ended: Ended, naming key: String, log: String? = nil) {
        #expect(ended.failure?.class == .permanent, "\(ended)")
        #expect(ended.failure?.scope == .login, "\(ended)")
        #expect(ended.failure?.text.contains(key) == true, "\(ended)")
        if let log { #expect(!log.contains("USER"), "\(log)") }
    }

    @Test func `a certificate of another authority stops the login before anything is said`() async throws {
        let (ended, log) = try await send { settings, directory, _ in
            settings.trust.caFile = FilePath(try await TestCertificates.makeStrange(in: directory).authority)
        }
        expectStopped(ended, naming: "'ca_file'", log: log)
    }

    @Test func `the server's own public key satisfies a pin, also as one of several`() async throws {
        let (ended, _) = try await send { settings, _, certificates in
            let strange = "sha256//AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="
            settings.trust.pinnedKeys = [strange, try await certificates.pin]
        }
        #expect(ended.hasArrived, "\(ended)")
    }

    @Test func `another public key than the pinned one stops the login before anything is said`() async throws
    {
        let (ended, log) = try await send { settings, directory, _ in
            settings.trust.pinnedKeys = [try await TestCertificates.makeStrange(in: directory).pin]
        }
        expectStopped(ended, naming: "'pinned_key'", log: log)
    }

    @Test func `a server that demands a client certificate gets it`() async throws {
        let (ended, _) = try await send(extra: ["require_cert=YES"]) { settings, _, certificates in
            settings.trust.clientCertificate = FilePath(certificates.certificate)
            settings.trust.clientKey = FilePath(certificates.key)
        }
        #expect(ended.hasArrived, "\(ended)")
    }

    /// One file to a proftpd that trusts client certificates of one authority only.
    private func sendToProftpd(
        _ change: (inout OriginSettings, TemporaryDirectory, TestCertificates) async throws -> Void
    ) async throws -> Ended {
        let directory = try TemporaryDirectory()
        let certificates = try await TestCertificates.make(in: directory)
        let server = try await ProftpdServer.start(
            in: directory, tls: .explicit,
            extra: ["TLSVerifyClient on", "TLSCACertificateFile \(certificates.authority)"])
        var settings = OriginSettings.secured(by: certificates)
        try await change(&settings, directory, certificates)
        let rig = try LaneRig(directory, url: server.url, settings: settings, login: server.login)
        let ended = await rig.run(try rig.upload(rig.source(.pattern(1_000)), to: "\(server.url)/x"))
        await server.stop()
        return ended
    }

    @Test func `a client certificate of the right authority is let in`() async throws {
        let ended = try await sendToProftpd { settings, _, certificates in
            settings.trust.clientCertificate = FilePath(certificates.certificate)
            settings.trust.clientKey = FilePath(certificates.key)
        }
        #expect(ended.hasArrived, "\(ended)")
    }

    @Test func `no client certificate where one is demanded stops the login`() async throws {
        expectStopped(try await sendToProftpd { _, _, _ in }, naming: "'client_certificate'")
    }

    @Test func `a client certificate of a strange authority stops the login`() async throws {
        let ended = try await sendToProftpd { settings, directory, _ in
            let strange = try await TestCertificates.makeStrange(in: directory)
            settings.trust.clientCertificate = FilePath(strange.certificate)
            settings.trust.clientKey = FilePath(strange.key)
        }
        expectStopped(ended, naming: "'client_certificate'")
    }

    @Test func `a client certificate that is not there is this machine's trouble`() async throws {
        let (ended, _) = try await send { settings, directory, _ in
            settings.trust.clientCertificate = FilePath(directory.appending("nothing.pem"))
        }
        #expect(ended.failure?.class == .local, "\(ended)")
        #expect(ended.failure?.text.contains("'client_certificate'") == true, "\(ended)")
    }

    @Test func `an authority's file that is not there is this machine's trouble`() async throws {
        let (ended, _) = try await send { settings, directory, _ in
            settings.trust.caFile = FilePath(directory.appending("nothing.pem"))
        }
        #expect(ended.failure?.class == .local, "\(ended)")
        #expect(ended.failure?.text.contains("'ca_file'") == true, "\(ended)")
    }

    @Test func `a server that is too old for tls_min stops the login and names the key`() async throws {
        let directory = try TemporaryDirectory()
        let scene = try await SecuredScene(directory, newest: 2, change: { $0.trust.tlsMinimum = .tls13 })
        expectStopped(await scene.rig.run(try scene.upload(10)), naming: "'tls_min'")
        #expect(!scene.sawLogin)
    }

    @Test(arguments: [0, 1]) func `an old server is spoken with where that is allowed, and else not`(
        newest: Int
    ) async throws {
        let directory = try TemporaryDirectory()
        let old = try await SecuredScene(directory, newest: newest, change: { $0.trust.tlsMinimum = .tls10 })
        let ended = await old.rig.run(try old.upload(1_000))
        #expect(ended.hasArrived, "\(ended)")
        let strict = try await SecuredScene(directory, newest: newest)
        expectStopped(await strict.rig.run(try strict.upload(10)), naming: "'tls_min'")
        #expect(!strict.sawLogin)
    }

    @Test func `what speaks no TLS at all is named as such`() async throws {
        let server = try ScriptedFTPServer()
        let url = "ftps://127.0.0.1:\(server.port)"
        var settings = OriginSettings(name: "test")
        settings.connectTimeout = .seconds(2)
        let rig = try LaneRig(TemporaryDirectory(), url: url, settings: settings)
        let ended = await rig.run(try rig.upload(rig.source(.pattern(10)), to: "\(url)/x"))
        #expect(ended.failure?.class == .temporary, "\(ended)")
        #expect(ended.failure?.text.contains("'tls = require'") == true, "\(ended)")
    }
}
