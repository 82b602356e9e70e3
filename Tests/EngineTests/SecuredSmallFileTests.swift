import TestServers
import Testing
import TransferModel

@testable import TransferEngine

/// The second and every later small file of a lane goes over its kept, secured FTP connection without libcurl.
@Suite struct SecuredSmallFileTests {
    private static func send(_ count: Int, to name: String, _ scene: SecuredScene) async throws -> Ended {
        await scene.rig.run(try scene.upload(count, to: "/" + name))
    }

    private static func holds(_ count: Int, at name: String, _ scene: SecuredScene) -> Bool {
        scene.server.files["/" + name] == TestContent.pattern(count).bytes
    }

    /// A scene in which the behaviour holds for the second file alone.
    private static func scene(second behaviour: FTPBehaviour, to verb: String = "STOR") async throws
        -> SecuredScene
    {
        try await SecuredScene(TemporaryDirectory()) { command in
            command.verb == verb && command.occurrence == 1 ? behaviour : .right
        }
    }

    @Test func `files in a row are whole, over one connection whose session they go on with`() async throws {
        var demanding = FTPBehaviour()
        demanding.sessionRule = .resumed(elseReplies: "522 Go on with the session.")
        let scene = try await SecuredScene(TemporaryDirectory()) { [demanding] command in
            command.verb == "STOR" ? demanding : .right
        }
        let sizes = [10, 0, 1, 4_096, 16_384, 16_385, 65_536, 65_537, 300_000, 7]
        for (number, size) in sizes.enumerated() {
            let ended = try await Self.send(size, to: "f\(number)", scene)
            #expect(ended.hasArrived, "\(size): \(ended)")
            #expect(Self.holds(size, at: "f\(number)", scene), "\(size)")
        }
        #expect(scene.server.connections == 1)
        #expect(scene.server.commands.count { $0.verb == "STOR" } == sizes.count)
        #expect(!scene.rig.lane.memory.lacks(StoreDialogue.name))
    }

    @Test func `a list between two files leaves the connection in order`() async throws {
        let scene = try await SecuredScene(TemporaryDirectory())
        for name in ["a", "b"] { #expect(try await Self.send(10, to: name, scene).hasArrived) }
        let list = try scene.rig.remote(.list, at: "\(scene.server.url)/")
        _ = await scene.rig.run(list)
        for name in ["c", "d"] { #expect(try await Self.send(20, to: name, scene).hasArrived) }
        #expect(Self.holds(20, at: "d", scene) && scene.server.connections == 1)
    }

    @Test(arguments: [("553 No.", Failure.Class.permanent), ("450 Not now.", .temporary)])
    func `a refusal of STOR is the file's failure, and the connection goes on`(
        reply: String, meaning: Failure.Class
    ) async throws {
        let scene = try await Self.scene(second: .replies(reply))
        #expect(try await Self.send(10, to: "first", scene).hasArrived)
        let ended = try await Self.send(100, to: "b", scene)
        #expect(ended.failure?.class == meaning && ended.failure?.text.contains(reply) == true, "\(ended)")
        #expect(try await Self.send(77, to: "c", scene).hasArrived)
        #expect(Self.holds(77, at: "c", scene) && scene.server.connections == 1)
    }

    @Test(arguments: ["522 Not with this session.", "425 No data connection."])
    func `a data connection that is refused is libcurl's to make, at no attempt's cost`(reply: String)
        async throws
    {
        let scene = try await Self.scene(second: .replies(reply))
        for name in ["first", "b", "c"] {
            let ended = try await Self.send(100, to: name, scene)
            #expect(ended.hasArrived, "\(ended)")
        }
        #expect(Self.holds(100, at: "c", scene))
    }

    @Test func `a server that from the second file on wants sessions of their own gets whole files`()
        async throws
    {
        let scene = try await SecuredScene(TemporaryDirectory()) { command in
            var behaviour = FTPBehaviour()
            if command.verb == "STOR", command.occurrence > 0 {
                behaviour.sessionRule = .new(elseReplies: "522 TLS session of data connection reused.")
            }
            return behaviour
        }
        for name in ["first", "b", "c", "d"] {
            let ended = try await Self.send(5_000, to: name, scene)
            #expect(ended.hasArrived && Self.holds(5_000, at: name, scene), "\(ended)")
        }
    }

    @Test func `a data connection that is cut leaves no file under its name`() async throws {
        let scene = try await Self.scene(second: .cutsData(after: 50))
        #expect(try await Self.send(10, to: "first", scene).hasArrived)
        let job = try scene.upload(60_000, to: "/b")
        let ended = await scene.rig.run(job)
        let isWhole = Self.holds(60_000, at: "b", scene)
        #expect(ended.hasArrived == isWhole, "\(ended)")
        if !ended.hasArrived {
            #expect(ended.failure?.class == .temporary, "\(ended)")
            let again = await scene.rig.run(scene.rig.next(job, after: ended))
            #expect(again.hasArrived && Self.holds(60_000, at: "b", scene), "\(again)")
        }
    }

    @Test func `half a file that is said to be whole is found out`() async throws {
        let scene = try await Self.scene(second: .stores(atMost: 50))
        #expect(try await Self.send(10, to: "first", scene).hasArrived)
        let ended = try await Self.send(100, to: "b", scene)
        #expect(ended.failure?.class == .temporary && ended.stage == .sending, "\(ended)")
        #expect(!scene.server.files.names.contains("/b"))
    }

    @Test(arguments: [FTPBehaviour.closesConnection, .silent])
    func `a whole file whose last word is lost is asked for and put into place`(behaviour: FTPBehaviour)
        async throws
    {
        let scene = try await Self.scene(second: behaviour)
        #expect(try await Self.send(10, to: "first", scene).hasArrived)
        let ended = try await Self.send(100, to: "b", scene)
        #expect(ended.hasArrived && Self.holds(100, at: "b", scene), "\(ended)")
        #expect(scene.server.commands.count { $0.verb == "STOR" } == 2)
    }

    @Test func `a kept connection that is dead is replaced at no cost`() async throws {
        let scene = try await SecuredScene(TemporaryDirectory())
        for name in ["a", "b"] { #expect(try await Self.send(10, to: name, scene).hasArrived) }
        scene.server.cutConnections()
        for name in ["c", "d"] { #expect(try await Self.send(20, to: name, scene).hasArrived) }
        #expect(Self.holds(20, at: "d", scene) && scene.server.connections == 2)
    }

    @Test(arguments: ["EPSV", "STOR"]) func `a job is cancelled whatever the server keeps back`(verb: String)
        async throws
    {
        let scene = try await Self.scene(second: .silent, to: verb)
        #expect(try await Self.send(10, to: "first", scene).hasArrived)
        let job = try scene.upload(100, to: "/b")
        scene.rig.start(job)
        try await eventually("the command was sent") {
            scene.server.commands.count { $0.verb == verb } == 2
        }
        scene.rig.lane.cancel(job.id)
        #expect(await scene.rig.end(of: job).outcome == .cancelled)
        #expect(try await Self.send(77, to: "c", scene).hasArrived)
        #expect(Self.holds(77, at: "c", scene))
    }

    @Test func `TLS 1.3, whose sessions serve once, is left to libcurl`() async throws {
        let scene = try await SecuredScene(TemporaryDirectory(), newest: 3) { _ in
            .right
        } change: {
            $0.trust.tlsMinimum = .tls13
            $0.trust.tlsMaximum = .tls13
        }
        for name in ["a", "b", "c"] {
            let ended = try await Self.send(100, to: name, scene)
            #expect(ended.hasArrived && Self.holds(100, at: name, scene), "\(ended)")
        }
    }
}
