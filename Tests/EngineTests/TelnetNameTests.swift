import TestServers
import Testing
import TransferEngine
import TransferModel

/// Byte 255 in names, which is `я` in Windows' Cyrillic and begins a command of Telnet's (RFC 854).
@Suite struct TelnetNameTests {
    static let names: [[UInt8]] = [
        [0xff], [0xff, 0xfe], [0x61, 0xff, 0xff, 0x62], [0xff, 0xfb, 0xfc, 0xfd, 0x2e, 0xf4],
        [0xff, 0xff, 0xff],
    ]

    /// Sends each name, small and large, and expects them in `home`, byte for byte; then fetches one and renames it.
    private func expectNames(_ url: String, _ login: CredentialsTable.Login, at home: String, _ rig: LaneRig)
        async throws
    {
        for (number, name) in Self.names.enumerated() {
            let file = try #require(FileName(bytes: name))
            let source = try rig.source(.pattern(number * 40_000), name: name)
            let ended = await rig.run(
                try rig.upload(source, to: "\(TransferURL("\(url)/").appending(file))"))
            #expect(ended.hasArrived, "\(name): \(ended)")
        }
        #expect(Set(try TestFile.names(in: home)) == Set(Self.names))
        let fetched = await rig.run(try rig.download("\(url)/a%FF%ffb"))
        #expect(fetched.hasArrived && TestFile.size(rig.downloaded()) == 80_000, "\(fetched)")
        let removed = await rig.run(try rig.remote(.remove, at: "\(url)/%FF%FE"))
        #expect(removed.hasArrived, "\(removed)")
        #expect(Set(try TestFile.names(in: home)) == Set(Self.names).subtracting([[0xff, 0xfe]]))
    }

    @Test func `vsftpd has the names that were sent`() async throws {
        try await withTemporaryDirectory { directory in
            let server = try await VsftpdServer.start(in: directory)
            let rig = try LaneRig(directory, url: server.url)
            try await expectNames(server.url, .anonymous, at: server.home, rig)
        }
    }

    @Test func `proftpd has the names that were sent`() async throws {
        try await withTemporaryDirectory { directory in
            let server = try await ProftpdServer.start(in: directory)
            let login = CredentialsTable.Login.credentials(
                Credentials(user: server.user, password: server.password))
            let rig = try LaneRig(directory, url: server.url, login: login)
            try await expectNames(server.url, login, at: server.home, rig)
        }
    }

    @Test(.enabled(if: PureFTPdServer.isPossible)) func `pure-ftpd has the names that were sent`()
        async throws
    {
        try await withTemporaryDirectory { directory in
            let server = try await PureFTPdServer.start(in: directory)
            let login = CredentialsTable.Login.credentials(
                Credentials(user: server.user, password: server.password))
            let rig = try LaneRig(directory, url: server.url, login: login)
            try await expectNames(server.url, login, at: server.home, rig)
        }
    }

    @Test func `a server that calls itself proftpd gets the byte twice, from the first command on`()
        async throws
    {
        let server = try ScriptedFTPServer { $0.verb == "CONNECT" ? .replies("220 ProFTPD Server") : .right }
        let rig = try LaneRig(TemporaryDirectory(), url: server.url)
        for number in 1...2 {
            let job = try rig.upload(rig.source(.pattern(number)), to: "\(server.url)/%FF\(number)")
            #expect(await rig.run(job).hasArrived)
            #expect(server.files[raw: [0x2f, 0xff, 0xff, 0x30 + UInt8(number)]] != nil)
        }
        #expect(server.connections == 1)
    }
}
