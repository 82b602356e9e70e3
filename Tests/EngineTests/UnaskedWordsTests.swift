import TestServers
import Testing
import TransferModel

@testable import TransferEngine

/// Words on a kept control connection that no command asked for are never taken for a reply.
@Suite struct UnaskedWordsTests {
    private static let words = ["250 what else", "226 again\r\n226 and again", "550", "421 bye"]

    /// Adds words when the first file is in its place.
    private static func adding(_ words: String) -> @Sendable (FTPCommand) -> FTPBehaviour {
        { $0.verb == "RNTO" && $0.occurrence == 0 ? .adds(words) : .right }
    }

    private static func wait(for server: ScriptedFTPServer) async throws {
        try await eventually("the words were said") { server.commands.contains { $0.verb == "ADDED" } }
    }

    @Test(arguments: words, [100, 300_000])
    func `the next file, small or large, goes over a fresh connection`(words: String, size: Int) async throws
    {
        let server = try ScriptedFTPServer(script: Self.adding(words))
        let rig = try LaneRig(TemporaryDirectory(), url: server.url)
        #expect(await rig.run(try rig.upload(rig.source(.pattern(10)), to: "\(server.url)/a")).hasArrived)
        try await Self.wait(for: server)
        let ended = await rig.run(try rig.upload(rig.source(.pattern(size)), to: "\(server.url)/b"))
        #expect(ended.hasArrived && server.files["/b"] == TestContent.pattern(size).bytes, "\(ended)")
        #expect(server.connections == 2)
        #expect(server.commands.drop { $0.verb != "ADDED" }.dropFirst().allSatisfy { $0.connection == 1 })
    }

    @Test(arguments: words)
    func `the next file over TLS goes over a fresh connection`(words: String) async throws {
        let scene = try await SecuredScene(TemporaryDirectory(), script: Self.adding(words))
        #expect(await scene.rig.run(try scene.upload(10, to: "/a")).hasArrived)
        try await Self.wait(for: scene.server)
        let ended = await scene.rig.run(try scene.upload(3_000, to: "/b"))
        #expect(ended.hasArrived && scene.server.files["/b"] == TestContent.pattern(3_000).bytes, "\(ended)")
        #expect(scene.server.connections == 2)
    }

    @Test func `a size that answers nothing proves nothing`() async throws {
        let server = try ScriptedFTPServer { command in
            switch (command.verb, command.occurrence) {
            case ("RNTO", 0): .adds("213 3000")
            case ("STOR", 1): .stores(atMost: 7)
            default: .right
            }
        }
        let rig = try LaneRig(TemporaryDirectory(), url: server.url)
        #expect(await rig.run(try rig.upload(rig.source(.pattern(10)), to: "\(server.url)/a")).hasArrived)
        try await Self.wait(for: server)
        let ended = await rig.run(try rig.upload(rig.source(.pattern(3_000)), to: "\(server.url)/b"))
        #expect(!ended.hasArrived && !server.files.names.contains("/b"), "\(ended)")
    }

    @Test func `a download after words that nobody asked for is whole`() async throws {
        let server = try ScriptedFTPServer { command in
            command.verb == "RETR" && command.occurrence == 0 ? .adds("226 once more") : .right
        }
        server.files["/f"] = TestContent.pattern(5_000).bytes
        server.files["/g"] = TestContent.pattern(6_000).bytes
        let rig = try LaneRig(TemporaryDirectory(), url: server.url)
        #expect(await rig.run(try rig.download("\(server.url)/f")).hasArrived)
        try await Self.wait(for: server)
        let ended = await rig.run(try rig.download("\(server.url)/g", to: "g"))
        #expect(ended.hasArrived && server.connections == 2, "\(ended)")
        #expect(TestFile.sha256(rig.downloaded("g")) == TestContent.pattern(6_000).sha256)
    }
}
