import TestServers
import Testing
import TransferEngine
import TransferModel

@Suite struct `SFTP servers that err` {
    private func rig(
        _ server: ScriptedSFTPServer, password: String = ScriptedSFTPServer.password,
        stall: Duration = .seconds(60)
    ) throws -> LaneRig {
        let directory = try TemporaryDirectory()
        var settings = OriginSettings(name: "test")
        settings.trust.knownHosts = FilePath(try directory.write(server.knownHost, to: "known_hosts"))
        settings.stallTimeout = stall
        return try LaneRig(
            directory, url: server.url, settings: settings,
            login: .credentials(Credentials(user: "user", password: password)))
    }

    private let content = TestContent.pattern(100_000)

    private func run(_ rig: LaneRig, _ server: ScriptedSFTPServer, after last: Ended? = nil) async throws
        -> Ended
    {
        let job = try rig.upload(rig.source(content), to: "\(server.url)/x", id: 1)
        return await rig.run(last.map { rig.next(job, after: $0) } ?? job)
    }

    @Test func `a server that does as it should has the file`() async throws {
        let server = try ScriptedSFTPServer()
        let ended = try await run(rig(server), server)
        #expect(ended.hasArrived, "\(ended)")
        #expect(server.files == ["/x": content.bytes])
    }

    @Test func `a file that the server could not put away is not believed, and goes`() async throws {
        let server = try ScriptedSFTPServer { request in
            request.kind == .close && request.number == 0
                ? .doesAndSays(code: 4, text: "Disk quota exceeded") : .right
        }
        let rig = try rig(server)
        let first = try await run(rig, server)
        #expect(
            first.failure?.class == .temporary && first.failure?.text.contains("quota") == true, "\(first)")
        #expect(server.files.isEmpty)
        let second = try await run(rig, server, after: first)
        #expect(second.hasArrived, "\(second)")
        #expect(server.files == ["/x": content.bytes])
    }

    @Test func `a server that stores less than it says gets no name for it`() async throws {
        let server = try ScriptedSFTPServer { $0.kind == .write ? .halves : .right }
        let ended = try await run(rig(server), server)
        #expect(ended.failure?.class == .temporary, "\(ended)")
        #expect(server.files["/x"] == nil)
    }

    @Test func `a size that is told wrongly is not believed`() async throws {
        let server = try ScriptedSFTPServer { $0.kind == .status ? .tells(size: 99_999) : .right }
        let ended = try await run(rig(server), server)
        #expect(ended.failure?.class == .temporary, "\(ended)")
        #expect(server.files["/x"] == nil)
    }

    @Test func `a full server is told of in words and asked again later`() async throws {
        let server = try ScriptedSFTPServer { request in
            request.kind == .write && request.number == 1 ? .refuses(code: 4, text: "Failure") : .right
        }
        let rig = try rig(server)
        let first = try await run(rig, server)
        #expect(
            first.failure?.class == .temporary && first.failure?.text.contains("full") == true, "\(first)")
        let second = try await run(rig, server, after: first)
        #expect(second.hasArrived, "\(second)")
        #expect(server.files == ["/x": content.bytes])
    }

    @Test func `a directory that nobody may write to fails for good`() async throws {
        let server = try ScriptedSFTPServer { request in
            request.kind == .open ? .refuses(code: 3, text: "Permission denied") : .right
        }
        let ended = try await run(rig(server), server)
        #expect(ended.failure?.class == .permanent && ended.failure?.scope == .job, "\(ended)")
    }

    @Test(arguments: [true, false])
    func `a rename whose answer is lost is found out about`(isDone: Bool) async throws {
        let server = try ScriptedSFTPServer { request in
            guard request.kind == .extended, request.number == 0 else { return .right }
            return isDone ? .doesAndDisconnects : .disconnects
        }
        let rig = try rig(server)
        var ended = try await run(rig, server)
        if !isDone {
            #expect(ended.failure?.class == .temporary, "\(ended)")
            ended = try await run(rig, server, after: ended)
        }
        #expect(ended.hasArrived, "\(ended)")
        #expect(server.files == ["/x": content.bytes])
    }

    @Test func `where a file cannot be renamed over another one, the old one goes last`() async throws {
        let server = try ScriptedSFTPServer(extensions: [])
        let rig = try rig(server)
        for _ in 0..<2 {
            let ended = try await run(rig, server)
            #expect(ended.hasArrived, "\(ended)")
            #expect(server.files == ["/x": content.bytes])
        }
        let kinds = server.requests.map(\.kind)
        #expect(kinds.suffix(3) == [.rename, .remove, .rename])
    }

    @Test func `a connection that is lost in the midst of the data is no success`() async throws {
        let server = try ScriptedSFTPServer { request in
            request.kind == .close && request.number == 0 ? .doesAndDisconnects : .right
        }
        let rig = try rig(server)
        let first = try await run(rig, server)
        #expect(first.failure?.class == .temporary, "\(first)")
        #expect(server.files["/x"] == nil)
        let second = try await run(rig, server, after: first)
        #expect(second.hasArrived, "\(second)")
        #expect(server.files == ["/x": content.bytes])
    }

    @Test func `silence ends an attempt`() async throws {
        let server = try ScriptedSFTPServer { request in
            request.kind == .write && request.number == 0 ? .silent : .right
        }
        let rig = try rig(server, stall: .seconds(1))
        let ended = try await run(rig, server)
        #expect(
            ended.failure?.class == .temporary && ended.failure?.text.contains("too long") == true, "\(ended)"
        )
    }

    @Test(arguments: [SFTPRequest.Kind.open, .close, .extended])
    func `a job that waits for a silent server is cancelled`(kind: SFTPRequest.Kind) async throws {
        let server = try ScriptedSFTPServer { $0.kind == kind && $0.number == 0 ? .silent : .right }
        let rig = try rig(server)
        let job = try rig.upload(rig.source(content), to: "\(server.url)/x")
        rig.start(job)
        try await eventually("the server is asked") { server.requests.contains { $0.kind == kind } }
        let start = ContinuousClock.now
        rig.lane.cancel(job.id)
        #expect(await rig.end(of: job).outcome == .cancelled)
        #expect(ContinuousClock.now - start < .seconds(isTorture ? 1 : 10))
    }

    @Test func `reads that bring less than was asked for make a whole file`() async throws {
        let server = try ScriptedSFTPServer { request in
            request.kind == .read && request.number % 3 != 2 ? .halves : .right
        }
        let rig = try rig(server)
        #expect(try await run(rig, server).hasArrived)
        let ended = await rig.run(try rig.download("\(server.url)/x"))
        #expect(ended.hasArrived, "\(ended)")
        #expect(TestFile.sha256(rig.downloaded()) == content.sha256)
    }

    @Test func `a file that is shorter than was said is no whole file`() async throws {
        let server = try ScriptedSFTPServer { request in
            request.kind == .handleStatus ? .tells(size: 100_001) : .right
        }
        let rig = try rig(server)
        #expect(try await run(rig, server).hasArrived)
        let ended = await rig.run(try rig.download("\(server.url)/x"))
        #expect(ended.failure?.class == .temporary, "\(ended)")
        #expect(!TestFile.exists(rig.downloaded()))
    }

    @Test func `a file that changes while it is read is no whole file`() async throws {
        let server = try ScriptedSFTPServer { request in
            request.kind == .handleStatus && request.number == 1 ? .tells(size: 100_001) : .right
        }
        let rig = try rig(server)
        #expect(try await run(rig, server).hasArrived)
        let ended = await rig.run(try rig.download("\(server.url)/x"))
        #expect(ended.failure?.class == .temporary, "\(ended)")
        #expect(!TestFile.exists(rig.downloaded()))
    }

    @Test func `a password is given as the answer to a question, once`() async throws {
        let server = try ScriptedSFTPServer(login: .interactive)
        #expect(try await run(rig(server), server).hasArrived)
        let ended = try await run(rig(server, password: "wrong"), server)
        #expect(ended.failure?.class == .permanent && ended.failure?.scope == .login, "\(ended)")
    }
}
