import TestServers
import Testing
import TransferModel

@testable import TransferEngine

/// Words on a kept connection that nobody asked for are never taken for a reply.
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

    @Test(arguments: [
        "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nfine", "HTTP/1.1 408 Request Timeout\r\n\r\n", "more",
    ])
    func `what a web server says behind an answer is not the answer to the next post`(words: String)
        async throws
    {
        let server = try ScriptedHTTPServer { request in
            var answer = HTTPBehaviour.text("first")
            if request.index == 0 { answer.adds = words }
            return request.index == 1 ? .text("no such form", status: 422) : answer
        }
        let rig = try LaneRig(TemporaryDirectory(), url: server.url)
        let text = [FormPart(name: "a", content: .text("b"))]
        #expect(await rig.run(try rig.form(server.url, text, id: 1)).hasArrived)
        try await eventually("the words were said") { server.additions == 1 }
        let ended = await rig.run(try rig.form(server.url, text, id: 2))
        #expect(ended.failure?.code == 422, "\(ended)")
        #expect(server.requests.map(\.connection) == [0, 1])
    }

    @Test func `what a secured web server says behind an answer is not the answer to the next post`()
        async throws
    {
        try await withTemporaryDirectory { directory in
            let certificates = try await TestCertificates.make(in: directory)
            let server = try ScriptedHTTPServer(tls: ScriptedTLS(certificates)) { request in
                var answer = HTTPBehaviour.text("first")
                if request.index == 0 { answer.adds = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n" }
                return request.index == 1 ? .text("no such form", status: 422) : answer
            }
            let rig = try LaneRig(directory, url: server.url, settings: .secured(by: certificates))
            let text = [FormPart(name: "a", content: .text("b"))]
            #expect(await rig.run(try rig.form(server.url, text, id: 1)).hasArrived)
            try await eventually("the words were said") { server.additions == 1 }
            let ended = await rig.run(try rig.form(server.url, text, id: 2))
            #expect(ended.failure?.code == 422, "\(ended)")
        }
    }
}
