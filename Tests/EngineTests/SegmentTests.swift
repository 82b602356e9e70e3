import Synchronization
import TestServers
import Testing
import TransferEngine
import TransferModel

@Suite struct `Downloads over several connections` {
    private static let tag = "\"v1\""
    private static let content = TestContent.pattern(16 << 20)

    private static func sum(_ content: TestContent) -> Checksum {
        Checksum(algorithm: .sha256, hexadecimal: content.sha256)
    }

    /// A server that sends as fast as it may, or so many bytes a second on each connection.
    private static func server(
        rate: Int? = 8 << 20,
        _ change: @escaping @Sendable (HTTPRequest, inout HTTPBehaviour) -> Void = { _, _ in }
    ) throws -> ScriptedHTTPServer {
        try ScriptedHTTPServer { request in
            var answer = HTTPBehaviour.object(content, for: request, etag: tag)
            answer.bytesPerSecond = rate
            change(request, &answer)
            return answer
        }
    }

    private static func expectWhole(_ rig: SegmentRig, _ ended: Ended, of content: TestContent = content)
        throws
    {
        #expect(ended.hasArrived, "\(ended)")
        let isSame = try TestFile.read(rig.target) == content.bytes
        #expect(isSame, "the file is another one")
    }

    @Test func `each connection fetches its own part`() async throws {
        try await withTemporaryDirectory { directory in
            let server = try Self.server()
            let rig = try SegmentRig(directory, url: server.url)
            let ended = await rig.run(try rig.download("\(server.url)/x", checksum: Self.sum(Self.content)))
            try Self.expectWhole(rig, ended)
            #expect(server.connections >= 4)
            let ranges = server.requests.compactMap { $0.header("Range") }
            // The first has brought something by the time that the rest is cut into equal parts.
            #expect(ranges.count >= 3 && ranges.allSatisfy { $0.hasPrefix("bytes=") }, "\(ranges)")
            #expect(server.requests.allSatisfy { $0.index == 0 || $0.header("If-Range") == Self.tag })
        }
    }

    @Test func `a file that is not worth it comes over one`() async throws {
        try await withTemporaryDirectory { directory in
            let server = try Self.server(rate: nil)
            let rig = try SegmentRig(directory, url: server.url)
            let ended = await rig.run(try rig.download("\(server.url)/x", segments: .auto))
            try Self.expectWhole(rig, ended)
            #expect(rig.joins == 0)
        }
    }

    @Test(arguments: ["no ranges", "no validator", "weak", "unknown length"])
    func `without a promise of ranges of one version it comes over one`(lack: String) async throws {
        try await withTemporaryDirectory { directory in
            let server = try Self.server(rate: nil) { _, answer in
                switch lack {
                case "no ranges": answer.headers.removeAll { $0.name == "Accept-Ranges" }
                case "no validator": answer.headers.removeAll { $0.name == "ETag" }
                case "weak": answer.headers.append(HTTPHeader("ETag", "W/\"v1\""))
                case _: answer.announces = .chunked
                }
                if lack == "weak" { answer.headers.removeAll { $0.value == Self.tag } }
            }
            let rig = try SegmentRig(directory, url: server.url)
            let ended = await rig.run(try rig.download("\(server.url)/x"))
            try Self.expectWhole(rig, ended)
            #expect(rig.joins == 0)
            #expect(server.requests.count == 1)
        }
    }

    @Test(arguments: ["whole", "tag", "total", "from zero", "no range", "not found"])
    func `a server that does not keep its word sends the rest over one`(lie: String) async throws {
        try await withTemporaryDirectory { directory in
            let server = try Self.server { request, answer in
                guard request.index > 0 else { return }
                answer.headers.removeAll { $0.name == "Content-Range" && lie != "tag" && lie != "whole" }
                let length = Self.content.count
                switch lie {
                case "whole": answer = HTTPBehaviour.object(Self.content, for: request, etag: "\"v2\"")
                case "tag":
                    answer.headers.removeAll { $0.name == "ETag" }
                    answer.headers.append(HTTPHeader("ETag", "\"v2\""))
                case "total":
                    let range = request.range(of: length) ?? 0..<1
                    answer.headers.append(
                        HTTPHeader(
                            "Content-Range",
                            "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(length + 1)"))
                case "from zero":
                    answer.headers.append(
                        HTTPHeader("Content-Range", "bytes 0-\(answer.body.count - 1)/\(length)"))
                case "not found": answer = .text("gone", status: 404)
                case _: break
                }
            }
            let rig = try SegmentRig(directory, url: server.url)
            let ended = await rig.run(try rig.download("\(server.url)/x", checksum: Self.sum(Self.content)))
            try Self.expectWhole(rig, ended)
            // The first connection's answer was for the whole file, and nothing of it is asked for again.
            #expect(server.requests.count { $0.header("Range") == nil } == 1)
            #expect(server.requests.count <= 4)
        }
    }

    @Test func `a server that sends less than was asked for is asked for more`() async throws {
        try await withTemporaryDirectory { directory in
            let server = try Self.server { request, answer in
                guard let range = request.range(of: Self.content.count), range.count > 1 << 20 else { return }
                let capped = range.lowerBound..<range.lowerBound + (1 << 20)
                answer.headers.removeAll { $0.name == "Content-Range" }
                answer.headers.append(
                    HTTPHeader(
                        "Content-Range",
                        "bytes \(capped.lowerBound)-\(capped.upperBound - 1)/\(Self.content.count)"))
                answer.body = Self.content.slice(capped)
            }
            let rig = try SegmentRig(directory, url: server.url)
            try Self.expectWhole(rig, await rig.run(try rig.download("\(server.url)/x")))
        }
    }

    @Test func `what a cut connection left is fetched by the others`() async throws {
        try await withTemporaryDirectory { directory in
            let server = try Self.server { request, answer in
                guard request.header("Range") != nil, request.index < 4 else { return }
                answer.cutAfter = 300_000
                answer.ending = .resets
            }
            let rig = try SegmentRig(directory, url: server.url)
            let ended = await rig.run(try rig.download("\(server.url)/x", checksum: Self.sum(Self.content)))
            try Self.expectWhole(rig, ended)
            #expect(!rig.partFailures.isEmpty)
        }
    }

    @Test func `a first connection that is cut goes on within the attempt`() async throws {
        try await withTemporaryDirectory { directory in
            let server = try Self.server { request, answer in
                guard request.index == 0 else { return }
                answer.cutAfter = 2 << 20
                answer.ending = .resets
            }
            let rig = try SegmentRig(directory, url: server.url)
            try Self.expectWhole(rig, await rig.run(try rig.download("\(server.url)/x")))
            #expect(rig.notices.contains { $0.contains("goes on") }, "\(rig.notices)")
        }
    }

    @Test func `a first connection that falls silent is not waited for when others have fetched its part`()
        async throws
    {
        try await withTemporaryDirectory { directory in
            let server = try Self.server { request, answer in
                guard request.index == 0 else { return }
                (answer.cutAfter, answer.ending) = (2 << 20, .stalls)
            }
            let rig = try SegmentRig(directory, url: server.url)
            try Self.expectWhole(rig, await rig.run(try rig.download("\(server.url)/x")))
            #expect(!rig.notices.contains { $0.contains("no byte moved") }, "\(rig.notices)")
        }
    }

    @Test func `the rest of a slow connection is split among the idle`() async throws {
        try await withTemporaryDirectory { directory in
            let server = try Self.server { request, answer in
                answer.bytesPerSecond = request.index == 1 ? 200_000 : nil
                if request.index == 0 { answer.bytesPerSecond = 8 << 20 }
            }
            let rig = try SegmentRig(directory, url: server.url)
            try Self.expectWhole(rig, await rig.run(try rig.download("\(server.url)/x")))
        }
    }

    @Test
    func
        `what silent connections were to fetch is taken over, and so is what a lane leaves that is called away`()
        async throws
    {
        try await withTemporaryDirectory { directory in
            let server = try Self.server(rate: 2 << 20) { request, answer in
                guard (1...3).contains(request.index) else { return }
                answer.cutAfter = 500_000
                answer.ending = .stalls
            }
            let rig = try SegmentRig(directory, url: server.url)
            let job = try rig.download("\(server.url)/x", checksum: Self.sum(Self.content))
            rig.start(job)
            // Their requests are the ones that fall silent only when they have asked.
            try await eventually("others take part") { rig.parts == 3 && server.requests.count >= 4 }
            rig.recallOne(of: job)
            try Self.expectWhole(rig, await rig.end(of: job))
        }
    }

    @Test func `an interrupted one goes on with the windows that are missing`() async throws {
        try await withTemporaryDirectory { directory in
            let server = try Self.server(rate: nil) { request, answer in
                guard request.index < 4 else { return }
                answer.bytesPerSecond = 1 << 20
                answer.cutAfter = 3_000_000
                answer.ending = .stalls
            }
            let rig = try SegmentRig(directory, url: server.url)
            let job = try rig.download("\(server.url)/x", checksum: Self.sum(Self.content))
            let progress = Progress()
            rig.start(job, progress: progress)
            try await eventually("bytes of several parts are durable") {
                progress.advance.missing.count >= 4 && progress.advance.offset.rawValue > 2 << 20
            }
            rig.interrupt(job)
            let ended = await rig.end(of: job)
            let advance = progress.advance
            let missing = advance.missing.reduce(0) { $0 + $1.count }
            #expect(advance.offset.rawValue + missing == Int64(Self.content.count))
            try await eventually("all have left") { rig.parts == 0 }
            let before = server.requests.count
            let next = rig.next(job, after: ended, progress)
            try Self.expectWhole(rig, await rig.run(next))
            let asked = server.requests.dropFirst(before)
            #expect(asked.allSatisfy { $0.header("Range") != nil && $0.header("If-Range") == Self.tag })
        }
    }

    @Test func `another version starts again and is never mixed with the old one`() async throws {
        try await withTemporaryDirectory { directory in
            let other = TestContent.bytes(Self.content.bytes.reversed())
            let isOther = Atomic<Bool>(false)
            let server = try ScriptedHTTPServer { request in
                let new = isOther.load(ordering: .relaxed)
                var answer = HTTPBehaviour.object(
                    new ? other : Self.content, for: request, etag: new ? "\"v2\"" : Self.tag)
                if !new {
                    answer.bytesPerSecond = 1 << 20
                    (answer.cutAfter, answer.ending) = (3_000_000, .stalls)
                }
                return answer
            }
            let rig = try SegmentRig(directory, url: server.url)
            let job = try rig.download("\(server.url)/x")
            let progress = Progress()
            rig.start(job, progress: progress)
            try await eventually("several parts are durable") { progress.advance.missing.count >= 4 }
            isOther.store(true, ordering: .relaxed)
            rig.interrupt(job)
            let ended = await rig.end(of: job)
            try await eventually("all have left") { rig.parts == 0 }
            let again = await rig.run(rig.next(job, after: ended, progress))
            try Self.expectWhole(rig, again, of: other)
        }
    }
}
