import TestServers
import Testing
import TransferEngine
import TransferModel

@Suite struct `Uploads under another name or none` {
    private func scene(
        _ name: String, resuming: Resuming? = nil,
        script: @escaping @Sendable (FTPCommand) -> FTPBehaviour = { _ in .right }
    ) throws -> DeliveryScene {
        try DeliveryScene(
            { wishes in
                wishes.temporaryName = try TemporaryName(name)
                wishes.resuming = resuming
            }, script: script)
    }

    @Test(arguments: [("tmp/{name}.{id}", "STOR a/tmp/in.bin.1"), ("/tmp/{id}.part", "STOR /tmp/1.part")])
    func `another directory is made once, and so is the final one`(name: String, line: String) async throws {
        let scene = try scene(name)
        let ended = try await scene.run(5_000, to: "/a/b.c/../in.bin".replacing("/b.c/..", with: ""))
        #expect(ended.hasArrived, "\(ended)")
        #expect(scene.lines("STOR").last == line)
        #expect(scene.server.files.names == ["/a/in.bin"])
        let made = scene.lines("MKD")
        let second = try await scene.run(5_000, to: "/a/two.bin")
        #expect(second.hasArrived)
        #expect(scene.lines("MKD") == made)
    }

    @Test(arguments: [true, false])
    func `where nobody was let in nothing is left that anybody would have to remove`(isThere: Bool)
        async throws
    {
        let server = try ScriptedFTPServer { $0.verb == "PASS" ? .replies("530 Not you.") : .right }
        if !isThere { server.stop() }
        let rig = try LaneRig(
            TemporaryDirectory(), url: server.url, login: .credentials(Credentials(user: "u", password: "p")))
        let ended = await rig.run(try rig.upload(rig.source(.pattern(10)), to: "\(server.url)/x"))
        #expect(ended.failure?.scope == (isThere ? .login : .origin), "\(ended)")
        #expect(!ended.checkpoint.hasBegun && ended.checkpoint.remains == nil)
    }

    @Test func `a final directory that is missing is made when the rename is refused`() async throws {
        let scene = try scene("/tmp/{id}.part")
        scene.server.files.makeDirectory(Array("/tmp".utf8))
        let ended = try await scene.run(5_000, to: "/a/b/in.bin")
        #expect(ended.hasArrived, "\(ended)")
        #expect(scene.server.files.names == ["/a/b/in.bin"])
    }

    @Test func `without a temporary name the file is sent as it is called, and its size compared`()
        async throws
    {
        let scene = try scene("off")
        let ended = try await scene.run(5_000)
        #expect(sentences(ended) == ["size 5000 by SIZE"], "\(ended)")
        #expect(scene.lines("STOR", "SIZE", "RNFR", "RNTO") == ["STOR in.bin", "SIZE in.bin"])
        #expect(scene.holds(5_000))
    }

    @Test func `without a temporary name half a file is found out and removed`() async throws {
        let scene = try scene("off") { $0.verb == "STOR" ? .stores(atMost: 500) : .right }
        let ended = try await scene.run(1_000)
        #expect(ended.failure?.class == .temporary, "\(ended)")
        #expect(scene.server.files.names.isEmpty)
    }

    @Test func `without a temporary name a lost reply is settled by the size`() async throws {
        let scene = try scene("off") { $0.verb == "STOR" ? .closesConnection : .right }
        let ended = try await scene.run(5_000)
        #expect(ended.hasArrived, "\(ended)")
        #expect(scene.count("STOR") == 1)
        #expect(scene.holds(5_000))
    }

    @Test func `without a temporary name a file goes on that this job began, and no other`() async throws {
        let scene = try scene("off") { command in
            command.verb == "STOR" && command.occurrence == 1 ? .cutsData(after: 40_000) : .right
        }
        // The beginning of what is to be sent: only the checkpoint says whose it is.
        scene.server.files["/in.bin"] = TestContent.pattern(30_000).bytes
        let refused = try DeliveryScene {
            $0.temporaryName = .off
        } script: { command in
            command.verb == "STOR" ? .replies("450 Busy.") : .right
        }
        let none = await refused.rig.run(try refused.upload(100_000))
        #expect(none.checkpoint.remoteTemporary == nil, "\(none)")
        let job = try scene.upload(100_000)
        let first = await scene.rig.run(job)
        #expect(first.hasArrived, "\(first)")
        #expect(scene.count("APPE") == 0)
        let next = try scene.upload(100_000)
        let cut = await scene.rig.run(next)
        #expect(cut.checkpoint.remoteTemporary != nil, "\(cut)")
        let second = await scene.rig.run(scene.rig.next(next, after: cut))
        #expect(second.hasArrived, "\(second)")
        #expect(scene.count("APPE") == 1)
        #expect(scene.holds(100_000))
    }

    @Test func `a job keeps the temporary name that it began with`() async throws {
        let scene = try scene("{name}.{id}.x") { command in
            command.verb == "STOR" && command.occurrence == 0 ? .cutsData(after: 40_000) : .right
        }
        let job = try scene.upload(100_000)
        let first = await scene.rig.run(job)
        var wishes = DeliveryWishes()
        wishes.temporaryName = try TemporaryName("{name}.{id}.y")
        let renamed = try scene.rig.upload(
            scene.rig.source(.pattern(100_000)), to: "\(scene.server.url)/in.bin", id: job.id.rawValue,
            delivery: wishes)
        let second = await scene.rig.run(scene.rig.next(renamed, after: first))
        #expect(first.failure != nil)
        // The source was written anew, so all of it is sent again, over what stands there.
        #expect(second.hasArrived, "\(second)")
        #expect(scene.server.files.names == ["/in.bin"])
    }

    @Test func `a job that was retried after its end has a temporary name of its own, until it has arrived`()
        async throws
    {
        let scene = try scene("{name}.{id}.x") { command in
            command.verb == "STOR" && command.occurrence == 0 ? .stores(atMost: 500) : .right
        }
        var job = try scene.upload(1_000)
        job.checkpoint.life = 2
        let first = await scene.rig.run(job)
        #expect(first.failure?.class == .temporary && first.checkpoint.life == 2, "\(first)")
        let second = await scene.rig.run(scene.rig.next(job, after: first))
        #expect(second.hasArrived, "\(second)")
        let name = "in.bin.\(job.id)-2.x"
        #expect(scene.lines("STOR") == ["STOR \(name)", "STOR \(name)"])
        #expect(scene.holds(1_000))
    }

    @Test func `text goes as text, and the job says that nothing was compared`() async throws {
        let scene = try DeliveryScene { $0.transferType = .ascii }
        let job = try scene.rig.upload(
            scene.rig.source(.bytes(Array("a\nb\n".utf8))), to: "\(scene.server.url)/t.txt")
        let ended = await scene.rig.run(job)
        #expect(sentences(ended).first?.hasPrefix("not verified") == true, "\(ended)")
        #expect(scene.server.files["/t.txt"] == Array("a\r\nb\r\n".utf8))
        #expect(scene.lines("SIZE").isEmpty)
        let type = scene.server.lines.last { $0.hasPrefix("TYPE") || $0.hasPrefix("STOR") }
        #expect(
            scene.server.lines.filter { $0.hasPrefix("TYPE") || $0.hasPrefix("STOR") }.suffix(3).contains(
                "TYPE A"))
        #expect(type != nil)
        let image = try await scene.run(5_000)
        #expect(image.hasArrived)
    }

    @Test func `after a question about sizes text is still sent as text`() async throws {
        let scene = try DeliveryScene {
            $0.transferType = .ascii
        } script: { command in
            command.verb == "STOR" && command.occurrence == 0 ? .replies("451 Later.") : .right
        }
        let text = try scene.rig.source(.bytes(Array("a\n".utf8)))
        for round in 0..<2 {
            _ = await scene.rig.run(try scene.rig.upload(text, to: "\(scene.server.url)/d/\(round).txt"))
        }
        for (index, line) in scene.server.lines.enumerated() where line.hasPrefix("STOR") {
            #expect(scene.server.lines[index - 1] == "TYPE A")
        }
    }

    @Test func `two jobs that make the same deep directory at once both go on`() async throws {
        let server = try ScriptedFTPServer { command in
            command.verb == "MKD" ? .late(by: .milliseconds(30)) : .right
        }
        let first = try LaneRig(TemporaryDirectory(), url: server.url)
        let second = try LaneRig(TemporaryDirectory(), url: server.url)
        let one = try first.upload(first.source(.pattern(100)), to: "\(server.url)/a/b/c/1", id: 1)
        let two = try second.upload(second.source(.pattern(100)), to: "\(server.url)/a/b/c/2", id: 2)
        first.start(one)
        second.start(two)
        let ends = [await first.end(of: one), await second.end(of: two)]
        #expect(ends.filter(\.hasArrived).count == 2, "\(ends)")
        #expect(server.files.names == ["/a/b/c/1", "/a/b/c/2"])
    }

    @Test(arguments: ["521 \"/a\" directory exists.", "550 a: File exists.", "257 Made.", "250 Done."])
    func `whatever a server says of a directory that is there, the file goes into it`(reply: String)
        async throws
    {
        let scene = try DeliveryScene(script: { command in
            command.verb == "MKD" && command.text == "a" ? .endsWith(reply) : .right
        })
        let ended = try await scene.run(100, to: "/a/b/in.bin")
        #expect(ended.hasArrived, "\(ended)")
        #expect(scene.holds(100, at: "/a/b/in.bin"))
    }
}
