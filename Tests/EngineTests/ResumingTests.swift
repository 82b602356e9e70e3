import TestServers
import Testing
import TransferEngine
import TransferModel

@Suite struct `Uploads that go on` {
    private func scene(
        _ resuming: Resuming? = nil,
        script: @escaping @Sendable (FTPCommand) -> FTPBehaviour = { _ in .right }
    ) throws -> DeliveryScene {
        try DeliveryScene {
            $0.resuming = resuming
        } script: { command in
            command.verb == "STOR" && command.occurrence == 0 ? .cutsData(after: 40_000) : script(command)
        }
    }

    /// The first attempt, cut after 40,000 of 100,000 bytes.
    private func cut(_ scene: DeliveryScene) async throws -> (Job, Ended) {
        let job = try scene.upload(100_000)
        let first = await scene.rig.run(job)
        #expect(first.failure?.class == .temporary, "\(first)")
        return (job, first)
    }

    private var temporary: String { "/.in.bin.1.k3y1.part" }

    @Test func `REST and STOR go on where the route says so, from what is recorded`() async throws {
        let scene = try scene(.restart)
        let (job, first) = try await cut(scene)
        let progress = Progress()
        let second = await scene.rig.run(
            scene.rig.next(job, after: first, offset: 30_000), progress: progress)
        #expect(second.hasArrived, "\(second)")
        #expect(progress.start == ByteCount(30_000))
        #expect(scene.lines("REST").last == "REST 30000")
        let lines = scene.server.lines
        let index = try #require(lines.lastIndex { $0.hasPrefix("STOR") })
        #expect(lines[index - 1] == "REST 30000")
        #expect(scene.count("APPE") == 0)
        #expect(scene.holds(100_000))
    }

    @Test func `REST that is refused before STOR starts the file again`() async throws {
        let scene = try scene(.restart) { command in
            command.verb == "REST" ? .replies("502 Not implemented.") : .right
        }
        let (job, first) = try await cut(scene)
        let second = await scene.rig.run(scene.rig.next(job, after: first, offset: 40_000))
        #expect(second.hasArrived, "\(second)")
        #expect(scene.holds(100_000))
    }

    @Test func `REST that is ignored is found out by the size`() async throws {
        let scene = try scene(.restart) { command in
            guard command.verb == "STOR", command.occurrence == 1 else { return .right }
            var behaviour = FTPBehaviour.right
            behaviour.ignoresRestart = true
            return behaviour
        }
        let (job, first) = try await cut(scene)
        let second = await scene.rig.run(scene.rig.next(job, after: first, offset: 40_000))
        #expect(second.failure?.class == .temporary, "\(second)")
        let third = await scene.rig.run(scene.rig.next(job, after: second))
        #expect(third.hasArrived, "\(third)")
        #expect(scene.holds(100_000))
    }

    @Test func `off starts again`() async throws {
        let scene = try scene(.off)
        let (job, first) = try await cut(scene)
        let second = await scene.rig.run(scene.rig.next(job, after: first, offset: 40_000))
        #expect(second.hasArrived, "\(second)")
        #expect(scene.count("APPE") + scene.count("REST") == 0)
        #expect(scene.holds(100_000))
    }

    @Test func `a remote part that is not what was sent is not gone on with`() async throws {
        let scene = try scene()
        let (job, first) = try await cut(scene)
        scene.server.files[temporary]?[39_990] ^= 1
        let second = await scene.rig.run(scene.rig.next(job, after: first, offset: 40_000))
        #expect(second.hasArrived, "\(second)")
        #expect(scene.count("APPE") == 0)
        #expect(scene.rig.notices.contains { $0.contains("starts again") })
        #expect(scene.holds(100_000))
    }

    @Test(arguments: [40_000, 50_000])
    func `what may not be read is gone on with as far as it is recorded`(recorded: Int) async throws {
        let scene = try scene { $0.verb == "RETR" ? .replies("550 Write only.") : .right }
        let (job, first) = try await cut(scene)
        let second = await scene.rig.run(scene.rig.next(job, after: first, offset: recorded))
        #expect(second.hasArrived, "\(second)")
        #expect(scene.count("APPE") == 1)
        #expect(scene.holds(100_000))
    }

    @Test func `more than is recorded and may not be read is sent again`() async throws {
        let scene = try scene { $0.verb == "RETR" ? .replies("550 Write only.") : .right }
        let (job, first) = try await cut(scene)
        let second = await scene.rig.run(scene.rig.next(job, after: first, offset: 20_000))
        #expect(second.hasArrived, "\(second)")
        #expect(scene.count("APPE") == 0)
        #expect(scene.holds(100_000))
    }

    @Test(arguments: ["213 4294967336", "213 100001", "213 60000", "550 No.", "213 -1"])
    func `a size that lies does no harm`(reply: String) async throws {
        let scene = try scene { command in
            command.verb == "SIZE" && command.occurrence < 2 ? .replies(reply) : .right
        }
        let (job, first) = try await cut(scene)
        var ended = await scene.rig.run(scene.rig.next(job, after: first, offset: 40_000))
        for _ in 0..<2 where !ended.hasArrived {
            ended = await scene.rig.run(scene.rig.next(job, after: ended, offset: 0))
        }
        #expect(ended.hasArrived, "\(ended)")
        #expect(scene.holds(100_000))
        #expect(scene.server.files.names == ["/in.bin"])
    }

    @Test(arguments: [
        "426 Cut.", "426 Closed; transfer aborted.", "451 Error.", "452 Disk full.", "552 Quota.",
    ])
    func `a reply that ends it for now is temporary, and the file goes on later`(reply: String) async throws {
        let scene = try DeliveryScene(script: { command in
            guard command.verb == "STOR", command.occurrence == 0 else { return .right }
            var behaviour = FTPBehaviour.endsWith(reply)
            behaviour.storesAtMost = 30_000
            return behaviour
        })
        let job = try scene.upload(100_000)
        let first = await scene.rig.run(job)
        #expect(first.failure?.class == .temporary, "\(first)")
        #expect(first.failure?.text.contains(reply) == true)
        let second = await scene.rig.run(scene.rig.next(job, after: first, offset: 100_000))
        #expect(second.hasArrived, "\(second)")
        #expect(scene.count("APPE") == 1)
        #expect(scene.holds(100_000))
    }

    @Test func `a job that has failed for good leaves nothing of what it began`() async throws {
        let scene = try scene { command in
            command.verb == "STOR" || command.verb == "APPE" ? .replies("553 Not allowed.") : .right
        }
        let (job, first) = try await cut(scene)
        #expect(scene.server.files.names == [temporary])
        let second = await scene.rig.run(scene.rig.next(job, after: first, offset: 40_000))
        #expect(second.failure?.class == .permanent, "\(second)")
        try await eventually("the temporary file is removed") { scene.server.files.names.isEmpty }
    }

    @Test
    func `what cannot be removed when a job has failed is reported, and its end says that nothing is begun`()
        async throws
    {
        let scene = try scene { command in
            switch command.verb {
            case "STOR", "APPE": .replies("553 Not allowed.")
            case "DELE": .replies("450 Not now.")
            default: .right
            }
        }
        let (job, first) = try await cut(scene)
        let second = await scene.rig.run(scene.rig.next(job, after: first, offset: 40_000))
        #expect(second.failure?.class == .permanent, "\(second)")
        #expect(second.checkpoint.remoteTemporary == nil)
        try await eventually("the file that is left") { scene.rig.left.count == 1 }
        #expect(scene.rig.left.first == FilePath(".in.bin.1.k3y1.part"))
    }
}
