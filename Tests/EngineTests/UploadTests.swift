import TestServers
import Testing
import TransferEngine
import TransferModel

@Suite struct `Uploads to a real server` {
    @Test func `a file arrives whole under its own name and nothing else stays`() async throws {
        let directory = try TemporaryDirectory()
        let server = try await VsftpdServer.start(in: directory)
        let rig = try LaneRig(directory, url: server.url)
        let content = TestContent.pattern(600_000)
        let progress = Progress()
        let ended = await rig.run(
            try rig.upload(rig.source(content), to: "\(server.url)/in.bin"), progress: progress)
        #expect(ended.hasArrived, "\(ended)")
        #expect(TestFile.sha256("\(server.home)/in.bin") == content.sha256)
        #expect(try TestFile.names(in: server.home).count == 1)
        #expect(progress.offset == ByteCount(content.count))
        #expect(rig.stages.last == .renaming)
        await server.stop()
    }

    @Test func `an empty file arrives`() async throws {
        let directory = try TemporaryDirectory()
        let server = try await VsftpdServer.start(in: directory)
        let rig = try LaneRig(directory, url: server.url)
        let ended = await rig.run(try rig.upload(rig.source(.bytes([])), to: "\(server.url)/empty"))
        #expect(ended.hasArrived, "\(ended)")
        #expect(TestFile.size("\(server.home)/empty") == 0)
        await server.stop()
    }

    @Test func `missing directories are made`() async throws {
        let directory = try TemporaryDirectory()
        let server = try await VsftpdServer.start(in: directory)
        let rig = try LaneRig(directory, url: server.url)
        let job = try rig.upload(rig.source(.pattern(9)), to: "\(server.url)/a/b%20c/d/x.bin")
        let ended = await rig.run(job)
        #expect(ended.hasArrived, "\(ended)")
        #expect(try TestFile.read("\(server.home)/a/b c/d/x.bin") == TestContent.pattern(9).bytes)
        await server.stop()
    }

    @Test(arguments: [VsftpdServer.TLS.explicit, .implicit])
    func `a server that demands TLS and session reuse gets whole files`(tls: VsftpdServer.TLS) async throws {
        let directory = try TemporaryDirectory()
        let server = try await VsftpdServer.start(in: directory, tls: tls)
        let certificates = try await TestCertificates.make(in: directory)
        var settings = OriginSettings(name: "test")
        settings.tls = tls == .explicit ? .require : .off
        settings.trust.caFile = FilePath(certificates.authority)
        let url = "\(tls == .explicit ? "ftp" : "ftps")://127.0.0.1:\(server.port)"
        let rig = try LaneRig(directory, url: url, settings: settings)
        let content = TestContent.pattern(100_000)
        let source = try rig.source(content)
        for number in 0..<20 {
            let ended = await rig.run(try rig.upload(source, to: "\(url)/\(number)"))
            #expect(ended.hasArrived, "\(ended)")
            #expect(TestFile.sha256("\(server.home)/\(number)") == content.sha256)
        }
        await server.stop()
    }

    @Test func `a certificate that nobody vouches for stops the login, and nothing is sent`() async throws {
        let directory = try TemporaryDirectory()
        let server = try await VsftpdServer.start(in: directory, tls: .explicit)
        var settings = OriginSettings(name: "test")
        settings.tls = .require
        let rig = try LaneRig(directory, url: server.url, settings: settings)
        let ended = await rig.run(try rig.upload(rig.source(.pattern(10)), to: "\(server.url)/x"))
        #expect(ended.failure?.class == .permanent, "\(ended)")
        #expect(ended.failure?.scope == .login)
        #expect(!TestFile.text(server.log).contains("USER"))
        await server.stop()
    }

    @Test func `proftpd with session reuse demanded gets whole files`() async throws {
        let directory = try TemporaryDirectory()
        let server = try await ProftpdServer.start(in: directory, tls: .explicit)
        let certificates = try await TestCertificates.make(in: directory)
        var settings = OriginSettings(name: "test")
        settings.tls = .require
        settings.trust.caFile = FilePath(certificates.authority)
        let login = CredentialsTable.Login.credentials(
            Credentials(user: server.user, password: server.password))
        let rig = try LaneRig(directory, url: server.url, settings: settings, login: login)
        let content = TestContent.pattern(100_000)
        let source = try rig.source(content)
        for number in 0..<20 {
            let ended = await rig.run(try rig.upload(source, to: "\(server.url)/\(number)"))
            #expect(ended.hasArrived, "\(ended)")
            #expect(TestFile.sha256("\(server.home)/\(number)") == content.sha256)
        }
        await server.stop()
    }

    @Test(arguments: `Names on the wire`.odd) func `an odd name arrives as it is`(name: [UInt8]) async throws
    {
        let directory = try TemporaryDirectory()
        let server = try await VsftpdServer.start(in: directory)
        let rig = try LaneRig(directory, url: server.url)
        let file = try #require(FileName(bytes: name))
        let url = try TransferURL("\(server.url)/").appending(file)
        let ended = await rig.run(try rig.upload(rig.source(.pattern(10), name: name), to: "\(url)"))
        #expect(ended.hasArrived, "\(ended)")
        #expect(try TestFile.names(in: server.home) == [name])
        await server.stop()
    }
}
