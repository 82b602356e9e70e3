import TestServers
import Testing
import TransferModel

@testable import TransferEngine

@Suite struct `Bodies whose rest the lane reads itself` {
    private static let content = TestContent.pattern(3_000_000)
    /// Each body is long and quick.
    private static let eager = ReadingTerms(smallestRest: 1, piece: 1, quickTime: .max)

    /// So slow that bodies do not come at once, and nothing is said behind them before they are read.
    private static let rate = 20_000_000

    private func rig(
        _ directory: TemporaryDirectory, _ server: ScriptedHTTPServer,
        settings: OriginSettings = OriginSettings(name: "test")
    ) throws -> LaneRig {
        try LaneRig(directory, url: server.url, settings: settings, reading: Self.eager)
    }

    private static func object(
        _ request: HTTPRequest, _ change: (inout HTTPBehaviour) -> Void
    ) -> HTTPBehaviour {
        var behaviour = HTTPBehaviour.object(content, for: request, etag: "\"v1\"")
        change(&behaviour)
        return behaviour
    }

    /// What the first answer does; the others are as they should be.
    private static func web(
        tls: ScriptedTLS? = nil, _ change: @escaping @Sendable (inout HTTPBehaviour) -> Void = { _ in }
    ) throws -> ScriptedHTTPServer {
        try ScriptedHTTPServer(tls: tls) { request in
            object(request) { behaviour in
                behaviour.bytesPerSecond = rate
                if request.index == 0 { change(&behaviour) }
            }
        }
    }

    private static func ftp(
        _ script: @escaping @Sendable (FTPCommand) -> FTPBehaviour = { _ in .right }
    ) throws -> ScriptedFTPServer {
        let server = try ScriptedFTPServer { command in
            var behaviour = script(command)
            if command.verb == "RETR" { behaviour.bytesPerSecond = rate }
            return behaviour
        }
        server.files["/f"] = content.bytes
        return server
    }

    private func isWhole(_ rig: LaneRig) throws -> Bool {
        try TestFile.read(rig.downloaded()) == Self.content.bytes
    }

    @Test func `a body over HTTP arrives whole and the next one needs a new connection`() async throws {
        try await withTemporaryDirectory { directory in
            let server = try Self.web()
            let rig = try rig(directory, server)
            let checksum = Checksum("sha256:\(Self.content.sha256)")
            let ended = await rig.run(try rig.download("\(server.url)/f", checksum: checksum))
            #expect(ended.hasArrived, "\(ended)")
            #expect(try isWhole(rig))
            #expect(await rig.run(try rig.download("\(server.url)/f", to: "second")).hasArrived)
            #expect(server.connections == 2)
        }
    }

    @Test(arguments: [2, 3], [false, true])
    func `a body over TLS arrives whole however the connection ends`(newest: Int, omitsEnd: Bool) async throws
    {
        try await withTemporaryDirectory { directory in
            let certificates = try await TestCertificates.make(in: directory)
            let server = try Self.web(tls: ScriptedTLS(certificates, newest: newest)) {
                $0.omitsEnd = omitsEnd
                $0.ending = .closes
            }
            let rig = try rig(directory, server, settings: .secured(by: certificates))
            let ended = await rig.run(try rig.download("\(server.url)/f"))
            #expect(ended.hasArrived, "\(ended)")
            #expect(try isWhole(rig))
            #expect(await rig.run(try rig.download("\(server.url)/f", to: "second")).hasArrived)
            #expect(server.connections == 2)
        }
    }

    @Test(arguments: [false, true])
    func `a body over TLS that is cut is gone on with`(omitsEnd: Bool) async throws {
        try await withTemporaryDirectory { directory in
            let certificates = try await TestCertificates.make(in: directory)
            let server = try Self.web(tls: ScriptedTLS(certificates)) {
                $0.omitsEnd = omitsEnd
                $0.cutAfter = 2_000_000
                $0.ending = .closes
            }
            let rig = try rig(directory, server, settings: .secured(by: certificates))
            try await arrivesInTheEnd(rig, "\(server.url)/f", "transfer closed with 1000000 bytes")
            #expect(server.requests.last?.header("Range") != nil)
        }
    }

    @Test(arguments: [false, true])
    func `a body over HTTP that is cut is gone on with`(isReset: Bool) async throws {
        try await withTemporaryDirectory { directory in
            let server = try Self.web {
                $0.cutAfter = 2_000_000
                $0.ending = isReset ? .resets : .closes
            }
            let rig = try rig(directory, server)
            try await arrivesInTheEnd(
                rig, "\(server.url)/f", isReset ? "transfer closed with" : "1000000 bytes")
            #expect(server.requests.last?.header("Range") != nil)
        }
    }

    /// The first connection is cut, which the attempt survives or not; the job's next one brings the rest.
    private func arrivesInTheEnd(_ rig: LaneRig, _ url: String, _ words: String) async throws {
        let job = try rig.download(url)
        let progress = Progress()
        var ended = await rig.run(job, progress: progress)
        if let failure = ended.failure {
            #expect(failure.class == .temporary)
            #expect(failure.text.contains(words), "\(failure.text)")
            var next = rig.next(job, after: ended)
            next.offset = progress.offset
            ended = await rig.run(next)
        } else {
            #expect(rig.notices.contains { $0.contains(words) }, "\(rig.notices)")
        }
        #expect(ended.hasArrived, "\(ended)")
        #expect(try isWhole(rig))
    }

    @Test func `a body that is shorter than announced is no whole one`() async throws {
        try await withTemporaryDirectory { directory in
            let server = try Self.web {
                $0.announces = .falseLength(Self.content.count + 7)
                $0.ending = .closes
            }
            let rig = try rig(directory, server)
            try await arrivesInTheEnd(rig, "\(server.url)/f", "with 7 bytes remaining")
        }
    }

    @Test func `of a body that is longer than announced the announced part is taken`() async throws {
        try await withTemporaryDirectory { directory in
            let server = try Self.web { $0.announces = .falseLength(2_000_000) }
            let rig = try rig(directory, server)
            let ended = await rig.run(try rig.download("\(server.url)/f"))
            #expect(ended.hasArrived, "\(ended)")
            #expect(TestFile.size(rig.downloaded()) == 2_000_000)
            #expect(await rig.run(try rig.download("\(server.url)/f", to: "second")).hasArrived)
        }
    }

    @Test func `a chunked body is left to libcurl and its connection kept`() async throws {
        try await withTemporaryDirectory { directory in
            let server = try Self.web { $0.announces = .chunked }
            let rig = try rig(directory, server)
            #expect(await rig.run(try rig.download("\(server.url)/f")).hasArrived)
            #expect(try isWhole(rig))
            #expect(await rig.run(try rig.download("\(server.url)/f", to: "second")).hasArrived)
            #expect(server.connections == 1)
        }
    }

    @Test func `a server that falls silent in the midst is given up`() async throws {
        try await withTemporaryDirectory { directory in
            let server = try Self.web {
                $0.cutAfter = 2_000_000
                $0.ending = .stalls
            }
            var settings = OriginSettings(name: "test")
            settings.stallTimeout = .seconds(1)
            let rig = try rig(directory, server, settings: settings)
            try await arrivesInTheEnd(rig, "\(server.url)/f", "no byte moved")
        }
    }

    @Test func `a job is cancelled while its body is read`() async throws {
        try await withTemporaryDirectory { directory in
            let server = try Self.web { $0.bytesPerSecond = 1_000_000 }
            let rig = try rig(directory, server)
            let job = try rig.download("\(server.url)/f")
            let progress = Progress()
            rig.start(job, progress: progress)
            try await eventually("something has come") { progress.offset > .zero }
            rig.lane.cancel(job.id)
            #expect(await rig.end(of: job).outcome == .cancelled)
            #expect(await rig.run(try rig.download("\(server.url)/f", to: "second")).hasArrived)
        }
    }

    @Test func `a rate is kept`() async throws {
        try await withTemporaryDirectory { directory in
            let server = try Self.web()
            let rig = try rig(directory, server)
            let job = try rig.download("\(server.url)/f")
            let start = ContinuousClock.now
            rig.start(job, rates: Rates([RateLimiter(Rate(bytesPerSecond: 6_000_000))]))
            #expect(await rig.end(of: job).hasArrived)
            #expect(ContinuousClock.now - start >= .milliseconds(300))
            #expect(try isWhole(rig))
        }
    }

    // MARK: FTP

    @Test func `a body over FTP arrives whole and the next one needs a new connection`() async throws {
        try await withTemporaryDirectory { directory in
            let server = try Self.ftp()
            let rig = try LaneRig(directory, url: server.url, reading: Self.eager)
            let ended = await rig.run(try rig.download("\(server.url)/f"))
            #expect(ended.hasArrived, "\(ended)")
            #expect(try isWhole(rig))
            #expect(await rig.run(try rig.download("\(server.url)/f", to: "second")).hasArrived)
            #expect(server.connections == 2)
        }
    }

    @Test(arguments: ["451 Out of paper.", "226 Done."])
    func `a body over FTP that is cut is gone on with`(reply: String) async throws {
        try await withTemporaryDirectory { directory in
            let server = try Self.ftp { command in
                guard command.verb == "RETR", command.occurrence == 0 else { return .right }
                var behaviour = FTPBehaviour.cutsData(after: 2_000_000)
                behaviour.finalReply = reply
                return behaviour
            }
            let rig = try LaneRig(directory, url: server.url, reading: Self.eager)
            let isDone = reply.hasPrefix("226")
            try await arrivesInTheEnd(
                rig, "\(server.url)/f", isDone ? "1000000 bytes" : "451")
            #expect(server.commands.contains { $0.verb == "REST" })
        }
    }

    @Test func `a server that does not say that all was sent is not believed`() async throws {
        try await withTemporaryDirectory { directory in
            let server = try Self.ftp { $0.verb == "RETR" ? .endsWith("426 Something broke.") : .right }
            let rig = try LaneRig(directory, url: server.url, reading: Self.eager)
            let ended = await rig.run(try rig.download("\(server.url)/f"))
            #expect(ended.failure?.class == .temporary, "\(ended)")
        }
    }

    @Test func `a server that never says that all was sent is given up`() async throws {
        try await withTemporaryDirectory { directory in
            let server = try Self.ftp { $0.verb == "RETR" ? .silent : .right }
            var settings = OriginSettings(name: "test")
            settings.stallTimeout = .seconds(1)
            let rig = try LaneRig(directory, url: server.url, settings: settings, reading: Self.eager)
            let ended = await rig.run(try rig.download("\(server.url)/f"))
            #expect(ended.failure?.class == .temporary, "\(ended)")
            #expect(ended.failure?.text.contains("no byte moved") == true, "\(ended)")
        }
    }

    // MARK: What is quick

    @Test func `a body is quick when a whole piece of it came in little time`() {
        let terms = ReadingTerms(smallestRest: 0, piece: 100, quickTime: 10)
        var pace = Pace()
        let pieces: [(count: Int64, time: UInt64)] = [(0, 0), (500, 100), (599, 105), (600, 111), (700, 121)]
        let answers = pieces.map { pace.isQuick($0.count, now: $0.time, by: terms) }
        #expect(answers == [false, false, false, false, true])
    }
}
