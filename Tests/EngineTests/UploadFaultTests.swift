import Glibc
import TestServers
import Testing
import TransferEngine
import TransferModel

/// A scripted server and a lane to it.
private struct Scene {
    let server: ScriptedFTPServer
    let rig: LaneRig

    init(
        directory: TemporaryDirectory? = nil, settings: OriginSettings = OriginSettings(name: "test"),
        script: @escaping @Sendable (FTPCommand) -> FTPBehaviour = { _ in .right }
    ) throws {
        server = try ScriptedFTPServer(script: script)
        rig = try LaneRig(directory ?? TemporaryDirectory(), url: server.url, settings: settings)
    }

    func upload(_ count: Int, to path: String = "/in.bin") throws -> Job {
        try rig.upload(rig.source(.pattern(count)), to: server.url + path)
    }

    func holds(_ count: Int, at path: String = "/in.bin") -> Bool {
        server.files[path] == TestContent.pattern(count).bytes
    }

    /// Whether the final file is there whole and alone.
    func holdsOnly(_ count: Int, at path: String = "/in.bin") -> Bool {
        holds(count, at: path) && server.files.names == [path]
    }
}

private func quick() -> OriginSettings {
    var settings = OriginSettings(name: "test")
    settings.stallTimeout = .seconds(1)
    settings.connectTimeout = .seconds(1)
    return settings
}

@Suite struct `Uploads to a server that errs` {
    @Test func `a small file costs one STOR, one request to compare and rename it, and one stage`()
        async throws
    {
        let scene = try Scene()
        let ended = await scene.rig.run(try scene.upload(4_096))
        #expect(ended.hasArrived, "\(ended)")
        let part = ".in.bin.1.k3y1.part"
        #expect(
            scene.server.lines.drop { $0 != "PWD" } == [
                "PWD", "EPSV", "TYPE I", "STOR \(part)", "SIZE \(part)", "RNFR \(part)", "RNTO in.bin",
            ])
        #expect(scene.rig.stages == [.renaming])
        #expect(ended.arrival?.digest == "size 4096 by SIZE")
    }

    @Test
    func `a connection that drops after all the data leaves a whole file that is asked for and renamed`()
        async throws
    {
        let scene = try Scene { $0.verb == "STOR" ? .closesConnection : .right }
        let ended = await scene.rig.run(try scene.upload(100_000))
        #expect(ended.hasArrived, "\(ended)")
        #expect(scene.holdsOnly(100_000))
        #expect(scene.server.commands.count { $0.verb == "STOR" } == 1)
    }

    @Test func `a server that stores half and says all is well is found out before the rename`() async throws
    {
        let scene = try Scene { $0.verb == "STOR" ? .stores(atMost: 500) : .right }
        let ended = await scene.rig.run(try scene.upload(1_000))
        #expect(ended.failure?.class == .temporary)
        #expect(ended.stage == .sending)
        #expect(scene.server.files.names.isEmpty)
        #expect(!scene.server.lines.contains { $0.hasPrefix("RNFR") })
        #expect(scene.rig.stages.suffix(2) == [.renaming, .sending])
    }

    @Test(arguments: [
        ("552 Quota exceeded.", Failure.Class.temporary), ("451 Local error.", .temporary),
        ("553 No such name.", .permanent),
    ])
    func `a reply after the data decides, in the server's words`(reply: String, meaning: Failure.Class)
        async throws
    {
        let scene = try Scene { $0.verb == "STOR" ? .endsWith(reply) : .right }
        let ended = await scene.rig.run(try scene.upload(1_000))
        #expect(ended.failure?.class == meaning)
        #expect(ended.failure?.text.contains(reply) == true, "\(ended)")
        #expect(!scene.server.files.names.contains("/in.bin"))
    }

    @Test(arguments: ["550 No.", "550 Permission denied.", "213 it is large", "502 What?"])
    func `where a server does not tell sizes a file is stored, and said not to be compared`(reply: String)
        async throws
    {
        let scene = try Scene { $0.verb == "SIZE" ? .replies(reply) : .right }
        let ended = await scene.rig.run(try scene.upload(1_000))
        #expect(ended.arrival?.digest?.contains("does not tell the size") == true, "\(ended)")
        #expect(scene.holdsOnly(1_000))
    }

    @Test func `a file that may not be looked at counts as stored when the server says so`() async throws {
        var settings = OriginSettings(name: "test")
        settings.delivery.temporaryName = .off
        let scene = try Scene(settings: settings) {
            ["SIZE", "RNFR", "DELE"].contains($0.verb) ? .replies("550 f: Operation not permitted") : .right
        }
        let ended = await scene.rig.run(try scene.upload(1_000))
        #expect(ended.arrival?.digest?.contains("not verified") == true, "\(ended)")
        #expect(scene.holdsOnly(1_000))
    }

    @Test func `where nothing may be renamed the failure names the key that does without`() async throws {
        let scene = try Scene { $0.verb == "RNFR" ? .replies("550 f: Operation not permitted") : .right }
        let failure = try #require(await scene.rig.run(try scene.upload(1_000)).failure)
        #expect(failure.class == .permanent && failure.text.contains("'temp_name = off'"), "\(failure)")
    }

    @Test func `what the server says when it breaks the data connection off is told`() async throws {
        let scene = try Scene { command in
            var behaviour = FTPBehaviour.right
            guard command.verb == "STOR" else { return behaviour }
            behaviour.cutsDataAfter = 300_000
            behaviour.finalReply = "552 Your quota of 300 KB is used up."
            return behaviour
        }
        for _ in 1...5 {
            let failure = try #require(await scene.rig.run(try scene.upload(8_000_000)).failure)
            #expect(failure.class == .temporary)
            #expect(failure.text.contains("552 Your quota of 300 KB is used up."), "\(failure)")
        }
    }

    @Test func `a directory that cannot be made for now is no end of the job`() async throws {
        let scene = try Scene { command in
            switch command.verb {
            case "STOR": .replies("553 No such directory.")
            case "MKD": .replies("451 Try again.")
            default: .right
            }
        }
        let failure = try #require(await scene.rig.run(try scene.upload(10, to: "/new/in.bin")).failure)
        #expect(failure.class == .temporary)
        #expect(failure.text.contains("553 No such directory.; and making new at"), "\(failure)")
        #expect(failure.text.hasSuffix("451 Try again."), "\(failure)")
    }

    @Test func `a data connection that is cut goes on where it was`() async throws {
        let scene = try Scene { $0.verb == "STOR" && $0.occurrence == 0 ? .cutsData(after: 40_000) : .right }
        let job = try scene.upload(100_000)
        let first = await scene.rig.run(job)
        #expect(first.failure?.class == .temporary, "\(first)")
        let progress = Progress()
        let second = await scene.rig.run(scene.rig.next(job, after: first), progress: progress)
        #expect(second.hasArrived, "\(second)")
        #expect(scene.holdsOnly(100_000))
        #expect(progress.start == ByteCount(40_000))
        #expect(scene.server.commands.count { $0.verb == "APPE" } == 1)
    }

    @Test(arguments: ["550 No.", "213 999999", "213 0", "213 -5", "500 What?"])
    func `a size that cannot be gone on from starts the file again`(reply: String) async throws {
        let scene = try Scene { command in
            switch (command.verb, command.occurrence) {
            case ("STOR", 0): .cutsData(after: 40_000)
            case ("SIZE", 0), ("SIZE", 1): .replies(reply)
            default: .right
            }
        }
        let job = try scene.upload(100_000)
        let first = await scene.rig.run(job)
        let second = await scene.rig.run(scene.rig.next(job, after: first))
        if !second.hasArrived {
            // The scripted size was spent on the comparison after the data.
            let third = await scene.rig.run(scene.rig.next(job, after: second))
            #expect(third.hasArrived, "\(third)")
        }
        #expect(scene.holdsOnly(100_000))
        #expect(!scene.server.commands.contains { $0.verb == "APPE" })
    }

    @Test func `a source that changed since is sent from the start`() async throws {
        let scene = try Scene { $0.verb == "STOR" && $0.occurrence == 0 ? .cutsData(after: 40_000) : .right }
        let job = try scene.upload(100_000)
        let first = await scene.rig.run(job)
        _ = try scene.rig.source(.pattern(100_000, seed: 7))
        let second = await scene.rig.run(scene.rig.next(job, after: first))
        #expect(second.hasArrived, "\(second)")
        #expect(scene.server.files["/in.bin"] == TestContent.pattern(100_000, seed: 7).bytes)
    }

    /// All of it was read before STOR: only looking at it again shows the change.
    @Test(arguments: [5_000, 100_000], ["written over", "replaced", "taken away"])
    func `a source that changes after it was read is sent again, one that is gone is not`(
        count: Int, change: String
    ) async throws {
        let directory = try TemporaryDirectory()
        let path = "\(directory.path)/spool/file.bin"
        let new = TestContent.pattern(count, seed: 9)
        let scene = try Scene(directory: directory) { command in
            guard command.verb == "STOR", command.occurrence == 0 else { return .right }
            switch change {
            case "written over": try? TestFile.write(new, to: path)
            case "replaced":
                try? TestFile.write(new, to: path + ".new")
                rename(path + ".new", path)
            default: unlink(path)
            }
            return .right
        }
        let job = try scene.upload(count)
        let first = await scene.rig.run(job)
        guard change != "taken away" else {
            #expect(first.hasArrived, "\(first)")
            return #expect(scene.holdsOnly(count))
        }
        #expect(first.failure?.class == .temporary, "\(first)")
        #expect(scene.server.files["/in.bin"] == nil)
        let second = await scene.rig.run(scene.rig.next(job, after: first))
        #expect(second.hasArrived, "\(second)")
        #expect(scene.server.files["/in.bin"] == new.bytes)
        #expect(scene.server.files.names == ["/in.bin"])
    }

    @Test func `a refused append becomes a whole upload`() async throws {
        let scene = try Scene { command in
            switch command.verb {
            case "STOR" where command.occurrence == 0: .cutsData(after: 40_000)
            case "APPE": .replies("550 Appending is forbidden.")
            default: .right
            }
        }
        let job = try scene.upload(100_000)
        let first = await scene.rig.run(job)
        let second = await scene.rig.run(scene.rig.next(job, after: first))
        #expect(second.hasArrived, "\(second)")
        #expect(scene.holdsOnly(100_000))
    }

    @Test func `a target that exists is replaced after the new file was compared`() async throws {
        let scene = try Scene { command in
            command.verb == "RNTO" && command.occurrence == 0 ? .replies("550 File exists.") : .right
        }
        scene.server.files["/in.bin"] = [1, 2, 3]
        let ended = await scene.rig.run(try scene.upload(5_000))
        #expect(ended.hasArrived, "\(ended)")
        #expect(scene.holdsOnly(5_000))
    }

    @Test func `a server that cannot rename fails the job and keeps nothing of it`() async throws {
        let scene = try Scene { $0.verb == "RNFR" ? .replies("502 Not implemented.") : .right }
        let ended = await scene.rig.run(try scene.upload(5_000))
        #expect(ended.failure?.class == .permanent, "\(ended)")
        #expect(ended.stage == .sending)
        try await eventually("the temporary file is removed") { scene.server.files.names.isEmpty }
    }

    @Test func `a lost reply to the rename is found out and nothing is sent again`() async throws {
        let scene = try Scene { $0.verb == "RNTO" ? .closesConnection : .right }
        let ended = await scene.rig.run(try scene.upload(5_000))
        #expect(ended.hasArrived, "\(ended)")
        #expect(scene.holdsOnly(5_000))
        #expect(scene.server.commands.count { $0.verb == "STOR" } == 1)
    }

    @Test func `a crash after the rename is found out at the next attempt`() async throws {
        let scene = try Scene()
        let job = try scene.upload(5_000)
        let first = await scene.rig.run(job)
        #expect(first.stage == .renaming)
        let second = await scene.rig.run(scene.rig.next(job, after: first))
        #expect(second.hasArrived, "\(second)")
        #expect(scene.server.commands.count { $0.verb == "STOR" } == 1)
    }

    @Test func `yesterday's file of the same size is no proof`() async throws {
        let scene = try Scene()
        scene.server.files["/in.bin"] = TestContent.pattern(5_000, seed: 9).bytes
        let ended = await scene.rig.run(try scene.upload(5_000))
        #expect(ended.hasArrived, "\(ended)")
        #expect(scene.holdsOnly(5_000))
    }

    @Test func `a directory that somebody else makes in that moment is no failure`() async throws {
        let scene = try Scene { $0.verb == "MKD" && $0.occurrence == 0 ? .endsWith("521 Exists.") : .right }
        let ended = await scene.rig.run(try scene.upload(5_000, to: "/a/b/in.bin"))
        #expect(ended.hasArrived, "\(ended)")
        #expect(scene.holdsOnly(5_000, at: "/a/b/in.bin"))
    }

    @Test func `a server without SIZE gets the file, and the job says that nothing was compared`()
        async throws
    {
        let scene = try Scene { $0.verb == "SIZE" ? .replies("502 Not implemented.") : .right }
        let ended = await scene.rig.run(try scene.upload(5_000))
        guard case .arrived(let arrival) = ended.outcome else {
            Issue.record("\(ended)")
            return
        }
        #expect(arrival.digest?.hasPrefix("not verified") == true)
        #expect(scene.holdsOnly(5_000))
    }

    @Test func `EPSV refused falls back to PASV, and only the control connection's host is used`()
        async throws
    {
        let scene = try Scene { command in
            command.verb == "EPSV" ? .replies("500 Unknown.") : .right
        }
        let ended = await scene.rig.run(try scene.upload(5_000))
        #expect(ended.hasArrived, "\(ended)")
        #expect(scene.holdsOnly(5_000))
    }

    @Test(arguments: ["530 Too many users, try again later.", "421 Too busy."])
    func `a crowded server backs the origin off`(reply: String) async throws {
        let scene = try Scene { $0.verb == "PASS" || $0.verb == "USER" ? .replies(reply) : .right }
        let ended = await scene.rig.run(try scene.upload(10))
        #expect(ended.failure?.class == .temporary, "\(ended)")
        #expect(ended.failure?.scope == .origin)
    }

    @Test func `a refused login stops that login, in the server's words`() async throws {
        let scene = try Scene { $0.verb == "PASS" ? .replies("530 Login incorrect.") : .right }
        let ended = await scene.rig.run(try scene.upload(10))
        #expect(ended.failure?.class == .permanent, "\(ended)")
        #expect(ended.failure?.scope == .login)
        #expect(ended.failure?.text.contains("530 Login incorrect.") == true)
        // An account is not locked by asking again, be it only to tidy up.
        #expect(await scene.rig.run(try scene.upload(10)).failure?.scope == .login)
        #expect(scene.server.commands.count { $0.verb == "PASS" } == 2)
    }

    @Test func `nobody there backs the origin off`() async throws {
        let scene = try Scene()
        scene.server.stop()
        let ended = await scene.rig.run(try scene.upload(10))
        #expect(ended.failure?.class == .temporary, "\(ended)")
        #expect(ended.failure?.scope == .origin)
    }

    @Test(arguments: ["CONNECT", "PASS", "EPSV"])
    func `a server that falls silent at any step is given up`(verb: String) async throws {
        let scene = try Scene(settings: quick()) { $0.verb == verb ? .silent : .right }
        let ended = await scene.rig.run(try scene.upload(10))
        #expect(ended.failure?.class == .temporary, "\(ended)")
    }

    @Test func `AUTH TLS refused ends the job, and no password is sent`() async throws {
        var settings = quick()
        settings.tls = .require
        let scene = try Scene(settings: settings)
        let ended = await scene.rig.run(try scene.upload(10))
        #expect(ended.failure?.class == .permanent, "\(ended)")
        #expect(ended.failure?.scope == .login)
        #expect(!scene.server.commands.contains { $0.verb == "USER" || $0.verb == "PASS" })
    }

    @Test func `a kept connection that died is replaced at no cost`() async throws {
        let scene = try Scene()
        let first = await scene.rig.run(try scene.upload(10, to: "/a"))
        #expect(first.hasArrived)
        scene.server.cutConnections()
        let second = await scene.rig.run(try scene.upload(10, to: "/b"))
        #expect(second.hasArrived, "\(second)")
        #expect(scene.server.connections == 2)
    }

    @Test func `a kept connection that is answered 421 is replaced at no cost`() async throws {
        let scene = try Scene { command in
            guard command.verb == "EPSV", command.occurrence == 1 else { return .right }
            return .replies("421 Timeout.")
        }
        #expect(await scene.rig.run(try scene.upload(10, to: "/a")).hasArrived)
        let second = await scene.rig.run(try scene.upload(10, to: "/b"))
        #expect(second.hasArrived, "\(second)")
    }

    @Test func `words that a stranger puts behind the reply to AUTH are not taken for the server's`()
        async throws
    {
        var settings = quick()
        settings.tls = .require
        let scene = try Scene(settings: settings) {
            $0.verb == "AUTH" ? .replies("234 Go ahead.\r\n230 Logged in.") : .right
        }
        let ended = await scene.rig.run(try scene.upload(10))
        #expect(ended.failure != nil, "\(ended)")
        #expect(!scene.server.commands.contains { $0.verb == "USER" || $0.verb == "PASS" })
    }

    @Test func `a password in clear is warned about once`() async throws {
        let server = try ScriptedFTPServer()
        let login = CredentialsTable.Login.credentials(Credentials(user: "u", password: "p"))
        let rig = try LaneRig(TemporaryDirectory(), url: server.url, login: login)
        for name in ["a", "b"] {
            #expect(
                await rig.run(try rig.upload(rig.source(.pattern(1)), to: "\(server.url)/\(name)")).hasArrived
            )
        }
        #expect(rig.notices.count { $0.contains("in clear") } == 1)
    }

    @Test func `a source that shrinks while it is sent fails the attempt, and the target stays as it was`()
        async throws
    {
        let directory = try TemporaryDirectory()
        // More than the ring holds, and cut while the server answers STOR.
        let scene = try Scene(directory: directory) { command in
            if command.verb == "STOR", command.occurrence == 0 {
                try? TestFile.write([1, 2, 3], to: "\(directory.path)/spool/file.bin")
            }
            return .right
        }
        let source = try scene.rig.source(.bytes(Array(repeating: 1, count: 3_000_000)))
        let job = try scene.rig.upload(source, to: "\(scene.server.url)/in.bin")
        let ended = await scene.rig.run(job)
        #expect(ended.failure?.class == .temporary, "\(ended)")
        #expect(ended.failure?.text.contains("changed") == true)
        #expect(scene.server.files["/in.bin"] == nil)
        let second = await scene.rig.run(scene.rig.next(job, after: ended))
        #expect(second.hasArrived)
        #expect(scene.server.files["/in.bin"] == [1, 2, 3])
    }

    @Test func `a source that is gone, a link or no file is a local failure`() async throws {
        let scene = try Scene()
        let path = "\(scene.rig.directory.path)/spool/file.bin"
        let job = try scene.upload(10)
        unlink(path)
        #expect(await scene.rig.run(job).failure?.class == .local)
        symlink("/etc/passwd", path)
        #expect(await scene.rig.run(job).failure?.class == .local)
        unlink(path)
        mkfifo(path, 0o600)
        #expect(await scene.rig.run(job).failure?.class == .local)
        #expect(scene.server.connections == 0)
    }
}
