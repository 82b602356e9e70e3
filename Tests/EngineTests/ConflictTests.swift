import TestServers
import Testing
import TransferEngine
import TransferModel

@Suite struct `Uploads whose name is taken` {
    private func scene(
        _ policy: ConflictPolicy, temporaryName: String? = nil,
        script: @escaping @Sendable (FTPCommand) -> FTPBehaviour = { _ in .right }
    ) throws -> DeliveryScene {
        let scene = try DeliveryScene(
            { wishes in
                wishes.onConflict = policy
                wishes.temporaryName = try temporaryName.map { try TemporaryName($0) }
            }, script: script)
        scene.server.files["/in.bin"] = [1, 2, 3]
        return scene
    }

    @Test func `skip sends nothing, and the job says so and keeps its source`() async throws {
        let scene = try scene(.skip)
        let ended = try await scene.run(5_000)
        #expect(ended.arrival?.digest == "not sent: \(scene.server.url)/in.bin is already there")
        #expect(ended.checkpoint.isLeftOut == true)
        #expect(scene.count("STOR") == 0)
        #expect(scene.server.files["/in.bin"] == [1, 2, 3])
    }

    @Test func `skip looks again before the rename, and removes what it sent`() async throws {
        let server = HeldServer()
        let scene = try scene(.skip) { command in
            if command.verb == "STOR" { server.files?["/in.bin"] = [9] }
            return .right
        }
        server.set(scene.server)
        scene.server.files["/in.bin"] = nil
        let ended = try await scene.run(5_000)
        #expect(ended.checkpoint.isLeftOut == true, "\(ended)")
        #expect(scene.server.files.names == ["/in.bin"])
        #expect(scene.server.files["/in.bin"] == [9])
    }

    @Test func `fail names the target and leaves it alone`() async throws {
        let scene = try scene(.fail)
        let ended = try await scene.run(5_000)
        #expect(ended.failure?.class == .permanent)
        #expect(ended.failure?.text.contains("\(scene.server.url)/in.bin") == true, "\(ended)")
        #expect(scene.count("STOR") == 0)
        #expect(scene.server.files["/in.bin"] == [1, 2, 3])
    }

    @Test func `fail looks again before the rename, and removes its temporary file`() async throws {
        let server = HeldServer()
        let scene = try scene(.fail) { command in
            if command.verb == "STOR" { server.files?["/in.bin"] = [9] }
            return .right
        }
        server.set(scene.server)
        scene.server.files["/in.bin"] = nil
        let ended = try await scene.run(5_000)
        #expect(ended.failure?.class == .permanent, "\(ended)")
        try await eventually("the temporary file is removed") { scene.server.files.names == ["/in.bin"] }
        #expect(scene.server.files["/in.bin"] == [9])
    }

    @Test func `a directory of that name is in the way, too`() async throws {
        let scene = try scene(.skip)
        scene.server.files["/in.bin"] = nil
        scene.server.files.makeDirectory(Array("/in.bin".utf8))
        let ended = try await scene.run(5_000)
        #expect(ended.checkpoint.isLeftOut == true, "\(ended)")
        #expect(scene.count("STOR") == 0)
    }

    @Test func `rename takes the first free name, which is durable before the rename and shown`() async throws
    {
        let scene = try scene(.rename)
        scene.server.files["/in-1.bin"] = [4]
        let ended = try await scene.run(5_000)
        #expect(sentences(ended).contains("stored as in-2.bin"), "\(ended)")
        #expect(ended.checkpoint.chosenName == FileName("in-2.bin"))
        #expect(scene.holds(5_000, at: "/in-2.bin"))
        #expect(scene.server.files["/in.bin"] == [1, 2, 3])
        #expect(scene.server.files.names.count == 3)
    }

    @Test func `rename keeps the name that is free`() async throws {
        let scene = try scene(.rename)
        scene.server.files["/in.bin"] = nil
        let ended = try await scene.run(5_000)
        #expect(sentences(ended) == ["size 5000 by SIZE"])
        #expect(scene.server.files.names == ["/in.bin"])
    }

    @Test func `rename whose reply is lost does not take yet another name`() async throws {
        let scene = try scene(.rename) { command in
            command.verb == "RNTO" ? .closesConnection : .right
        }
        let job = try scene.upload(5_000)
        let ended = await scene.rig.run(job)
        #expect(ended.hasArrived, "\(ended)")
        let again = await scene.rig.run(scene.rig.next(job, after: ended))
        #expect(again.hasArrived)
        #expect(scene.server.files.names == ["/in-1.bin", "/in.bin"])
        #expect(scene.count("STOR") == 1)
    }

    @Test(arguments: ["550 File exists.", "553 Name is taken."])
    func `replace deletes what is there only when the server does not rename onto it`(reply: String)
        async throws
    {
        let scene = try scene(.replace) { command in
            command.verb == "RNTO" && command.occurrence == 0 ? .replies(reply) : .right
        }
        let ended = try await scene.run(5_000)
        #expect(ended.hasArrived, "\(ended)")
        #expect(scene.holds(5_000))
        #expect(scene.lines("DELE") == ["DELE in.bin"])
    }

    @Test func `replace deletes nothing where the server renames onto it`() async throws {
        let scene = try scene(.replace)
        let ended = try await scene.run(5_000)
        #expect(ended.hasArrived)
        #expect(scene.count("DELE") == 0)
        #expect(scene.holds(5_000))
    }

    @Test func `a server that cannot rename at all keeps the old file, and no temporary one`() async throws {
        let scene = try scene(.replace) { command in
            command.verb == "RNTO" ? .replies("502 Not implemented.") : .right
        }
        let ended = try await scene.run(5_000)
        #expect(ended.failure?.class == .permanent, "\(ended)")
        #expect(scene.server.files["/in.bin"] == [1, 2, 3])
        try await eventually("the temporary file is removed") { scene.server.files.names == ["/in.bin"] }
    }

    @Test func `a refusal that has nothing to do with an old file is told in the server's words`()
        async throws
    {
        let scene = try scene(.replace) { command in
            command.verb == "RNTO" ? .replies("550 Bad name.") : .right
        }
        scene.server.files["/in.bin"] = nil
        let ended = try await scene.run(5_000)
        #expect(ended.failure?.text.contains("550 Bad name.") == true, "\(ended)")
        #expect(ended.failure?.class == .permanent)
    }

    @Test func `once the old file is deleted the new one is kept until it has its name`() async throws {
        let scene = try scene(.replace) { command in
            command.verb == "RNTO" && command.occurrence < 2 ? .replies("550 No.") : .right
        }
        let job = try scene.upload(5_000)
        let first = await scene.rig.run(job)
        #expect(first.failure?.class == .temporary, "\(first)")
        #expect(first.stage == .renaming)
        let second = await scene.rig.run(scene.rig.next(job, after: first))
        #expect(second.hasArrived, "\(second)")
        #expect(scene.count("STOR") == 1)
        #expect(scene.server.files.names == ["/in.bin"])
    }

    @Test(arguments: [ConflictPolicy.skip, .fail])
    func `without a temporary file what this job began is not taken for another's`(policy: ConflictPolicy)
        async throws
    {
        let scene = try scene(policy, temporaryName: "off") { command in
            command.verb == "STOR" && command.occurrence == 0 ? .cutsData(after: 40_000) : .right
        }
        scene.server.files["/in.bin"] = nil
        let job = try scene.upload(100_000)
        let first = await scene.rig.run(job)
        #expect(first.failure?.class == .temporary, "\(first)")
        let second = await scene.rig.run(scene.rig.next(job, after: first))
        #expect(second.hasArrived, "\(second)")
        #expect(second.checkpoint.isLeftOut == nil)
        #expect(scene.holds(100_000))
    }

    @Test func `without a temporary file a free name is chosen before anything is sent`() async throws {
        let scene = try scene(.rename, temporaryName: "off")
        let ended = try await scene.run(5_000)
        #expect(sentences(ended) == ["stored as in-1.bin", "size 5000 by SIZE"], "\(ended)")
        #expect(scene.lines("STOR") == ["STOR in-1.bin"])
        #expect(scene.rig.stages.first == .sending)
        #expect(scene.server.files["/in.bin"] == [1, 2, 3])
    }

    @Test(arguments: [ConflictPolicy.replace, .rename, .skip, .fail])
    func `a real server does as the policy says`(policy: ConflictPolicy) async throws {
        let directory = try TemporaryDirectory()
        let server = try await VsftpdServer.start(in: directory)
        try TestFile.write([1, 2, 3], to: "\(server.home)/in.bin")
        var settings = OriginSettings(name: "test")
        settings.delivery.onConflict = policy
        let rig = try LaneRig(directory, url: server.url, settings: settings)
        let ended = await rig.run(try rig.upload(rig.source(.pattern(5_000)), to: "\(server.url)/in.bin"))
        let new = TestContent.pattern(5_000).bytes
        #expect(ended.hasArrived == (policy != .fail), "\(ended)")
        let old = try TestFile.read("\(server.home)/in.bin")
        #expect(old == (policy == .replace ? new : [1, 2, 3]))
        if policy == .rename { #expect(try TestFile.read("\(server.home)/in-1.bin") == new) }
        #expect(try TestFile.names(in: server.home).count == (policy == .rename ? 2 : 1))
        await server.stop()
    }
}
