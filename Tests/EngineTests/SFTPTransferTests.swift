import TestServers
import Testing
import TransferEngine
import TransferModel

@Suite struct `Files to and from a real sshd` {
    private struct Place {
        let directory: TemporaryDirectory
        let server: OpenSSHServer
        let rig: LaneRig
        let url: String
    }

    /// - Parameters:
    ///   - rate: bytes a second that a relay before the server lets through.
    ///   - delay: how long it holds up what passes.
    private func place(
        rate: Int? = nil, delay: Duration = .zero, connectTimeout: Duration = .seconds(30),
        _ body: (Place, ScriptedRelay) async throws -> Void
    ) async throws {
        let directory = try TemporaryDirectory()
        let server = try await OpenSSHServer.start(in: directory)
        let relay = try ScriptedRelay(to: server.port, bytesPerSecond: rate, delay: delay)
        let known = TestFile.text(server.knownHosts)
        let (kept, port) = (known.split(separator: " ", maxSplits: 1)[1], relay.port)
        let file = try directory.write("[127.0.0.1]:\(port) \(kept)", to: "known_hosts")
        var settings = OriginSettings(name: "test")
        settings.trust.knownHosts = FilePath(file)
        settings.trust.identity = FilePath(server.clientKey)
        settings.connectTimeout = connectTimeout
        let url = "sftp://\(server.user)@127.0.0.1:\(port)"
        let rig = try LaneRig(directory, url: url, settings: settings, login: .missing(user: server.user))
        try await body(
            Place(directory: directory, server: server, rig: rig, url: url + server.home), relay)
        await server.stop()
    }

    @Test func `files arrive whole under their own names and nothing else stays`() async throws {
        try await place { place, _ in
            for (number, size) in [0, 10, 4_096, 600_000, 5_000_000].enumerated() {
                let content = TestContent.pattern(size)
                let progress = Progress()
                let job = try place.rig.upload(
                    place.rig.source(content), to: "\(place.url)/a%20b/%23\(number).bin")
                let ended = await place.rig.run(job, progress: progress)
                #expect(ended.hasArrived, "\(ended)")
                #expect(TestFile.sha256("\(place.server.home)/a b/#\(number).bin") == content.sha256)
                #expect(progress.offset == ByteCount(size))
            }
            #expect(try TestFile.names(in: "\(place.server.home)/a b").count == 5)
            #expect(place.rig.stages.last == .renaming)
        }
    }

    @Test func `a file takes the place of another one in one step`() async throws {
        try await place { place, _ in
            try TestFile.write([1, 2, 3], to: "\(place.server.home)/x")
            let content = TestContent.pattern(2_000)
            let ended = await place.rig.run(
                try place.rig.upload(place.rig.source(content), to: "\(place.url)/x"))
            #expect(ended.hasArrived, "\(ended)")
            #expect(TestFile.sha256("\(place.server.home)/x") == content.sha256)
            #expect(try TestFile.names(in: place.server.home).count == 1)
        }
    }

    @Test func `a cut upload goes on where the server had confirmed it`() async throws {
        try await place(rate: 30_000_000) { place, relay in
            let content = TestContent.pattern(24_000_000)
            let job = try place.rig.upload(place.rig.source(content), to: "\(place.url)/x")
            let progress = Progress()
            place.rig.start(job, progress: progress)
            try await eventually("half of it is sent") { relay.bytesForth > 12_000_000 }
            relay.cutConnections()
            let first = await place.rig.end(of: job)
            #expect(first.failure?.class == .temporary, "\(first)")
            var next = place.rig.next(job, after: first)
            next.offset = progress.offset
            let before = relay.bytesForth
            let second = await place.rig.run(next)
            #expect(second.hasArrived, "\(second)")
            #expect(TestFile.sha256("\(place.server.home)/x") == content.sha256)
            #expect(relay.bytesForth - before < 18_000_000)
            #expect(try TestFile.names(in: place.server.home).count == 1)
        }
    }

    @Test func `a cut upload whose remains were changed is sent again`() async throws {
        try await place(rate: 30_000_000) { place, relay in
            let content = TestContent.pattern(24_000_000)
            let job = try place.rig.upload(place.rig.source(content), to: "\(place.url)/x")
            let progress = Progress()
            place.rig.start(job, progress: progress)
            try await eventually("half of it is sent") { relay.bytesForth > 12_000_000 }
            relay.cutConnections()
            let first = await place.rig.end(of: job)
            var next = place.rig.next(job, after: first)
            next.offset = progress.offset
            let name = try TestFile.names(in: place.server.home)[0]
            let remains = Array(place.server.home.utf8) + [0x2f] + name
            let size = try TestFile.read(rawPath: remains).count
            try TestFile.write([UInt8](repeating: 0, count: size), rawPath: remains)
            let second = await place.rig.run(next)
            #expect(second.hasArrived, "\(second)")
            #expect(TestFile.sha256("\(place.server.home)/x") == content.sha256)
        }
    }

    @Test func `an upload is cancelled within a second and leaves nothing`() async throws {
        try await place(rate: 1_000_000) { place, relay in
            let job = try place.rig.upload(place.rig.source(.pattern(20_000_000)), to: "\(place.url)/x")
            place.rig.start(job)
            try await eventually("a part of it is sent") { relay.bytesForth > 300_000 }
            let start = ContinuousClock.now
            place.rig.lane.cancel(job.id)
            let ended = await place.rig.end(of: job)
            #expect(ended.outcome == .cancelled)
            #expect(ContinuousClock.now - start < .seconds(isTorture ? 1 : 10))
            try await eventually("the temporary file is removed") {
                try TestFile.names(in: place.server.home).isEmpty
            }
        }
    }

    @Test func `a job that waits for a server's greeting is cancelled within a second`() async throws {
        try await place(delay: .seconds(60)) { place, relay in
            let job = try place.rig.upload(place.rig.source(.pattern(1)), to: "\(place.url)/x")
            place.rig.start(job)
            try await eventually("a connection") { relay.bytesForth > 0 }
            let start = ContinuousClock.now
            place.rig.lane.cancel(job.id)
            #expect(await place.rig.end(of: job).outcome == .cancelled)
            #expect(ContinuousClock.now - start < .seconds(isTorture ? 1 : 10))
            relay.stop()
        }
    }

    @Test func `a server that does not greet is away for now`() async throws {
        try await place(delay: .seconds(60), connectTimeout: .seconds(1)) { place, relay in
            let ended = await place.rig.run(
                try place.rig.upload(place.rig.source(.pattern(1)), to: "\(place.url)/x"))
            #expect(ended.failure?.class == .temporary && ended.failure?.scope == .origin, "\(ended)")
            relay.stop()
        }
    }

    @Test func `a server that speaks something else is away for now`() async throws {
        let server = try ScriptedFTPServer()
        let url = "sftp://user@127.0.0.1:\(server.port)"
        var settings = OriginSettings(name: "test")
        settings.connectTimeout = .seconds(1)
        let rig = try LaneRig(
            TemporaryDirectory(), url: url, settings: settings,
            login: .credentials(Credentials(user: "user", password: "secret")))
        let ended = await rig.run(try rig.upload(rig.source(.pattern(1)), to: "\(url)/x"))
        #expect(ended.failure?.class == .temporary && ended.failure?.scope == .origin, "\(ended)")
    }

    @Test func `an idle lane whose connection died takes the next job over a new one`() async throws {
        try await place { place, relay in
            for name in ["a", "b"] {
                let ended = await place.rig.run(
                    try place.rig.upload(place.rig.source(.pattern(100)), to: "\(place.url)/\(name)"))
                #expect(ended.hasArrived, "\(ended)")
                relay.cutConnections()
            }
            #expect(relay.connections == 2)
        }
    }

    @Test(arguments: [0, 1, 100_000, 9_000_000])
    func `a file is fetched whole`(size: Int) async throws {
        try await place { place, _ in
            let content = TestContent.pattern(size)
            try TestFile.write(content.bytes, to: "\(place.server.home)/it's here")
            let checksum = Checksum("sha256:\(content.sha256)")
            let job = try place.rig.download("\(place.url)/it's%20here", checksum: checksum)
            let ended = await place.rig.run(job)
            #expect(ended.hasArrived, "\(ended)")
            #expect(TestFile.sha256(place.rig.downloaded()) == content.sha256)
            #expect(ended.arrival?.digest == "sha256:\(content.sha256) (matches --checksum)")
            #expect(try place.rig.downloads() == ["target"])
        }
    }

    @Test(arguments: [false, true])
    func `a cut download goes on, and starts again when the file is another one`(isChanged: Bool) async throws
    {
        try await place(rate: 6_000_000) { place, relay in
            let content = TestContent.pattern(12_000_000)
            try TestFile.write(content.bytes, to: "\(place.server.home)/x")
            let job = try place.rig.download("\(place.url)/x")
            let progress = Progress()
            place.rig.start(job, progress: progress)
            try await eventually("a part of it is here") { progress.offset > ByteCount(3_000_000) }
            relay.cutConnections()
            let first = await place.rig.end(of: job)
            #expect(first.failure?.class == .temporary, "\(first)")
            var next = place.rig.next(job, after: first)
            next.offset = progress.offset
            let now = isChanged ? TestContent.pattern(12_000_000, seed: 1) : content
            if isChanged { try TestFile.write(now.bytes, to: "\(place.server.home)/x") }
            let before = relay.bytesBack
            let second = await place.rig.run(next)
            #expect(second.hasArrived, "\(second)")
            #expect(TestFile.sha256(place.rig.downloaded()) == now.sha256)
            if !isChanged { #expect(relay.bytesBack - before < 10_500_000) }
        }
    }

    @Test func `a download is cancelled within a second and leaves nothing`() async throws {
        try await place(rate: 1_000_000) { place, relay in
            try TestFile.write(TestContent.pattern(20_000_000).bytes, to: "\(place.server.home)/x")
            let job = try place.rig.download("\(place.url)/x")
            place.rig.start(job)
            try await eventually("a part of it is here") { relay.bytesBack > 300_000 }
            let start = ContinuousClock.now
            place.rig.lane.cancel(job.id)
            #expect(await place.rig.end(of: job).outcome == .cancelled)
            #expect(ContinuousClock.now - start < .seconds(isTorture ? 1 : 10))
            try await eventually("nothing stays") { try place.rig.downloads().isEmpty }
        }
    }

    @Test func `what is not there fails for good`() async throws {
        try await place { place, _ in
            let ended = await place.rig.run(try place.rig.download("\(place.url)/none"))
            #expect(ended.failure?.class == .permanent && ended.failure?.scope == .job, "\(ended)")
        }
    }
}
