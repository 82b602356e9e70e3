import Glibc
import TestServers
import Testing
import TransferModel

@testable import TransferEngine

@Suite struct FTPDownloads {
    private static let content = TestContent.pattern(200_000).bytes

    private func server(
        _ script: @escaping @Sendable (FTPCommand) -> FTPBehaviour = { _ in .right }
    ) throws -> ScriptedFTPServer {
        let server = try ScriptedFTPServer(script: script)
        server.files["/f #%41;type=a"] = Self.content
        return server
    }

    private func address(_ server: ScriptedFTPServer) -> String { "\(server.url)/f%20%23%2541;type=a" }

    /// Fetches until the data is cut at 150,000 bytes.
    private func cut(_ rig: LaneRig, _ server: ScriptedFTPServer, checksum: Checksum? = nil) async throws
        -> Job
    {
        let job = try rig.download(address(server), checksum: checksum)
        let progress = Progress()
        let ended = await rig.run(job, progress: progress)
        #expect(ended.failure?.class == .temporary, "\(ended)")
        #expect(progress.offset == ByteCount(150_000))
        var next = rig.next(job, after: ended)
        next.offset = progress.offset
        return next
    }

    @Test func `a file arrives whatever its name`() async throws {
        try await withTemporaryDirectory { directory in
            let server = try server()
            let rig = try LaneRig(directory, url: server.url)
            let checksum = Checksum("sha256:\(sha256(Self.content))")
            let ended = await rig.run(try rig.download(address(server), checksum: checksum))
            #expect(
                ended.arrival?.digest == "sha256:\(sha256(Self.content)) (matches --checksum)", "\(ended)")
            #expect(try TestFile.read(rig.downloaded()) == Self.content)
        }
    }

    @Test func `an empty file arrives and a missing one is permanent`() async throws {
        try await withTemporaryDirectory { directory in
            let server = try server()
            server.files["/empty"] = []
            let rig = try LaneRig(directory, url: server.url)
            #expect(await rig.run(try rig.download("\(server.url)/empty")).hasArrived)
            #expect(TestFile.size(rig.downloaded()) == 0)
            let ended = await rig.run(try rig.download("\(server.url)/missing", to: "other"))
            #expect(ended.failure?.class == .permanent, "\(ended)")
            #expect(try rig.downloads() == ["target"])
        }
    }

    @Test(arguments: [false, true])
    func `a cut file is gone on with where the server does so`(ignores: Bool) async throws {
        try await withTemporaryDirectory { directory in
            let server = try server { command in
                guard command.verb == "RETR" else { return .right }
                if command.occurrence == 0 { return .cutsData(after: 150_000) }
                var behaviour = FTPBehaviour.right
                behaviour.ignoresRestart = ignores && command.occurrence == 1
                return behaviour
            }
            let rig = try LaneRig(directory, url: server.url)
            let job = try await cut(rig, server)
            let ended = await rig.run(job)
            #expect(ended.hasArrived, "\(ended)")
            #expect(try TestFile.read(rig.downloaded()) == Self.content)
            #expect(server.lines.filter { $0.hasPrefix("REST") } == ["REST \(150_000 - 65_536)"])
            #expect(server.commands.count { $0.verb == "RETR" } == (ignores ? 3 : 2))
        }
    }

    @Test(arguments: ["MDTM", "SIZE", "REST", "content"])
    func `a file that cannot be told to be the same is fetched anew`(missing: String) async throws {
        try await withTemporaryDirectory { directory in
            let server = try server { command in
                if command.verb == "RETR", command.occurrence == 0 { return .cutsData(after: 150_000) }
                return command.verb == missing ? .replies("500 no") : .right
            }
            let rig = try LaneRig(directory, url: server.url)
            let job = try await cut(rig, server)
            if missing == "content" { server.files["/f #%41;type=a"] = Self.content.reversed() }
            let ended = await rig.run(job)
            #expect(ended.hasArrived, "\(ended)")
            let expected = missing == "content" ? Self.content.reversed() : Self.content
            #expect(try TestFile.read(rig.downloaded()) == expected)
        }
    }
}
