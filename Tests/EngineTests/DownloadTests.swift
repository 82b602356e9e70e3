import Glibc
import TestServers
import Testing
import TransferModel

@testable import TransferEngine

@Suite struct Downloads {
    private static let tag = "\"v1\""

    /// A job that has `offset` bytes of `content` in a temporary file of its own, as an earlier attempt left them.
    private func begun(
        _ rig: LaneRig, _ url: String, with content: [UInt8], offset: Int, validator: Checkpoint.Validator,
        checksum: Checksum? = nil, stage: Stage = .sending
    ) throws -> Job {
        let path = rig.downloaded(".target.7.part")
        try TestFile.write(content, to: path)
        var status = stat()
        #expect(stat(path, &status) == 0)
        var checkpoint = Checkpoint()
        let name = try #require(FileName(".target.7.part"))
        checkpoint.localTemporary = Checkpoint.LocalTemporary(name: name, status)
        checkpoint.validator = validator
        return try rig.download(
            url, checksum: checksum, offset: ByteCount(offset), stage: stage, checkpoint: checkpoint)
    }

    private func validator(tag: String? = Self.tag, total: Int) -> Checkpoint.Validator {
        Checkpoint.Validator(entityTag: tag, total: ByteCount(total))
    }

    // MARK: Whole files

    @Test func `a file arrives with its digest and nothing else is left`() async throws {
        try await withTemporaryDirectory { directory in
            let nginx = try await NginxServer.start(in: directory)
            let rig = try LaneRig(directory, url: nginx.url)
            _ = try rig.randomSource(megabytes: 30)
            try #require(rename(directory.appending("spool/random"), "\(nginx.home)/f x") == 0)
            let progress = Progress()
            let digest = try #require(TestFile.sha256("\(nginx.home)/f x"))
            let job = try rig.download(
                "\(nginx.url)/f%20x", to: "a/b/target", checksum: Checksum("sha256:\(digest)"))
            let ended = await rig.run(job, progress: progress)
            let arrival = try #require(ended.arrival, "\(ended)")
            #expect(arrival.digest == "sha256:\(digest) (matches --checksum)")
            #expect(arrival.size == ByteCount(30_000_000))
            #expect(TestFile.sha256(rig.downloaded("a/b/target")) == digest)
            #expect(try TestFile.names(in: rig.downloaded("a/b")).count == 1)
            #expect(progress.offset == ByteCount(30_000_000))
            #expect(rig.stages == [.sending, .renaming])
            await nginx.stop()
        }
    }

    @Test func `an empty file replaces the one that stood there`() async throws {
        try await withTemporaryDirectory { directory in
            let server = try ScriptedHTTPServer { _ in .text("") }
            let rig = try LaneRig(directory, url: server.url)
            try TestFile.write([1, 2, 3], to: rig.downloaded())
            #expect(await rig.run(try rig.download("\(server.url)/x")).hasArrived)
            #expect(TestFile.size(rig.downloaded()) == 0)
            #expect(try rig.downloads() == ["target"])
        }
    }

    @Test(arguments: [200, 204, 404, 410, 500, 503])
    func `the target stays until a whole new file is there`(status: Int) async throws {
        try await withTemporaryDirectory { directory in
            let server = try ScriptedHTTPServer { _ in
                var answer = HTTPBehaviour.text(status == 204 ? "" : "an error page", status: status)
                if status == 200 { answer.announces = .falseLength(1_000) }
                if status == 200 { answer.ending = .closes }
                return answer
            }
            let rig = try LaneRig(directory, url: server.url)
            try TestFile.write([1, 2, 3], to: rig.downloaded())
            let ended = await rig.run(try rig.download("\(server.url)/x"))
            #expect(ended.failure?.class == (status == 200 || status >= 500 ? .temporary : .permanent))
            #expect(try TestFile.read(rig.downloaded()) == [1, 2, 3])
            if status != 200 {
                try await eventually("the removal") { try rig.downloads() == ["target"] }
            }
        }
    }

    @Test func `a body without a length is taken and said to be unproven`() async throws {
        try await withTemporaryDirectory { directory in
            let server = try ScriptedHTTPServer { _ in
                var answer = HTTPBehaviour.text("content")
                answer.announces = .nothing
                answer.ending = .closes
                return answer
            }
            let rig = try LaneRig(directory, url: server.url)
            let ended = await rig.run(try rig.download("\(server.url)/x"))
            #expect(ended.arrival?.digest?.hasSuffix("(the server announced no length)") == true, "\(ended)")
        }
    }

    @Test func `a cut chunked body is not whole`() async throws {
        try await withTemporaryDirectory { directory in
            let server = try ScriptedHTTPServer { _ in
                var answer = HTTPBehaviour(body: .pattern(50_000))
                answer.announces = .chunked
                answer.cutAfter = 20_000
                answer.ending = .closes
                return answer
            }
            let rig = try LaneRig(directory, url: server.url)
            let ended = await rig.run(try rig.download("\(server.url)/x"))
            #expect(ended.failure?.class == .temporary)
            #expect(!TestFile.exists(rig.downloaded()))
        }
    }

    @Test(arguments: [
        [HTTPHeader("Content-Length", "9")], [HTTPHeader("Content-Length", "9223372036854775808")],
    ])
    func `lengths that contradict each other are not believed`(headers: [HTTPHeader]) async throws {
        try await withTemporaryDirectory { directory in
            let server = try ScriptedHTTPServer { _ in .text("content", headers: headers) }
            let rig = try LaneRig(directory, url: server.url)
            let ended = await rig.run(try rig.download("\(server.url)/x"))
            #expect(ended.failure?.class == .temporary, "\(ended)")
            #expect(!TestFile.exists(rig.downloaded()))
        }
    }

    // MARK: Going on

    @Test func `an interrupted file is gone on with`() async throws {
        try await withTemporaryDirectory { directory in
            let content = TestContent.pattern(700_000)
            let server = try ScriptedHTTPServer { request in
                var answer = HTTPBehaviour.object(content, for: request, etag: Self.tag)
                if request.index == 0 {
                    answer.cutAfter = 300_000
                    answer.ending = .stalls
                }
                return answer
            }
            let rig = try LaneRig(directory, url: server.url)
            let job = try rig.download("\(server.url)/x")
            let progress = Progress()
            rig.start(job, progress: progress)
            try await eventually("300,000 bytes", timeout: .seconds(30)) {
                TestFile.size(rig.downloaded(".target.7.part")) == 300_000
            }
            rig.lane.interrupt(job.id)
            let ended = await rig.end(of: job)
            #expect(ended.outcome == .interrupted)
            #expect(progress.offset == ByteCount(300_000))
            var next = rig.next(job, after: ended)
            next.offset = progress.offset
            let later = Progress()
            let second = await rig.run(next, progress: later)
            #expect(second.hasArrived, "\(second)")
            #expect(later.start == ByteCount(300_000))
            #expect(try TestFile.read(rig.downloaded()) == content.bytes)
            #expect(server.requests.last?.header("Range") == "bytes=300000-")
            #expect(server.requests.last?.header("If-Range") == Self.tag)
        }
    }

    @Test func `a cancelled file is removed`() async throws {
        try await withTemporaryDirectory { directory in
            let server = try ScriptedHTTPServer { _ in
                var answer = HTTPBehaviour(body: .pattern(50_000))
                answer.cutAfter = 20_000
                answer.ending = .stalls
                return answer
            }
            let rig = try LaneRig(directory, url: server.url)
            let job = try rig.download("\(server.url)/x")
            rig.start(job)
            try await eventually("some bytes", timeout: .seconds(30)) {
                TestFile.size(rig.downloaded(".target.7.part")) == 20_000
            }
            rig.lane.cancel(job.id)
            #expect(await rig.end(of: job).outcome == .cancelled)
            try await eventually("the removal") { try rig.downloads().isEmpty }
        }
    }

    /// Answers to a request for the bytes from 400 on that a wrong server gives.
    enum Wrongness: CaseIterable {
        case ignoresRange, fromZero, earlier, otherTotal, noContentRange, otherVersion, noVersion, notThere
    }

    @Test(arguments: Wrongness.allCases)
    func `nothing is spliced`(wrong: Wrongness) async throws {
        try await withTemporaryDirectory { directory in
            let content = TestContent.pattern(1_000, seed: 9)
            let server = try ScriptedHTTPServer { request in
                guard request.header("Range") != nil else {
                    return .object(content, for: request, etag: "\"v2\"")
                }
                return Self.answer(wrong, content)
            }
            let rig = try LaneRig(directory, url: server.url)
            let old = TestContent.pattern(500).bytes
            let job = try begun(
                rig, "\(server.url)/x", with: old, offset: 400, validator: validator(total: 1_000))
            let ended = await rig.run(job)
            #expect(ended.hasArrived, "\(ended)")
            #expect(try TestFile.read(rig.downloaded()) == content.bytes)
            #expect(server.requests.count <= 2)
            #expect(try rig.downloads() == ["target"])
        }
    }

    private static func answer(_ wrong: Wrongness, _ content: TestContent) -> HTTPBehaviour {
        func part(_ range: String, _ from: Int, tag: String? = Self.tag) -> HTTPBehaviour {
            var headers = [HTTPHeader("Content-Range", range)]
            if let tag { headers.append(HTTPHeader("ETag", tag)) }
            return HTTPBehaviour(status: 206, headers: headers, body: content.slice(from..<1_000))
        }
        switch wrong {
        case .ignoresRange: return HTTPBehaviour(headers: [HTTPHeader("ETag", "\"v2\"")], body: content)
        case .fromZero: return part("bytes 0-999/1000", 0)
        case .earlier: return part("bytes 300-999/1000", 300)
        case .otherTotal: return part("bytes 400-999/2000", 400)
        case .noContentRange:
            return HTTPBehaviour(
                status: 206, headers: [HTTPHeader("ETag", tag)], body: content.slice(400..<1_000))
        case .otherVersion: return part("bytes 400-999/1000", 400, tag: "\"v2\"")
        case .noVersion: return part("bytes 400-999/1000", 400, tag: nil)
        case .notThere:
            return .text("no such range", status: 416, headers: [HTTPHeader("Content-Range", "bytes */400")])
        }
    }

    @Test func `a server that never answers what was asked is left`() async throws {
        try await withTemporaryDirectory { directory in
            let server = try ScriptedHTTPServer { _ in
                let headers = [HTTPHeader("Content-Range", "bytes 5-9/10"), HTTPHeader("ETag", Self.tag)]
                return .text("56789", status: 206, headers: headers)
            }
            let rig = try LaneRig(directory, url: server.url)
            let ended = await rig.run(
                try begun(
                    rig, "\(server.url)/x", with: Array(repeating: 0, count: 6), offset: 4,
                    validator: validator(total: 10)))
            #expect(ended.failure?.class == .temporary)
            #expect(server.requests.count == 2)
        }
    }

    @Test(arguments: [HTTPBehaviour.Ending.closes, .resets, .stalls])
    func `an address that is never answered backs off alone, not its server`(
        ending: HTTPBehaviour.Ending
    ) async throws {
        try await withTemporaryDirectory { directory in
            let server = try ScriptedHTTPServer { _ in
                var behaviour = HTTPBehaviour()
                behaviour.answers = false
                behaviour.ending = ending
                return behaviour
            }
            var settings = OriginSettings(name: "test")
            settings.stallTimeout = .milliseconds(500)
            let rig = try LaneRig(directory, url: server.url, settings: settings)
            let ended = await rig.run(try rig.download("\(server.url)/x"))
            #expect(ended.failure?.class == .temporary, "\(ended)")
            #expect(ended.failure?.scope == .job)
        }
    }

    @Test func `an answer that is no HTTP is asked for again`() async throws {
        try await withTemporaryDirectory { directory in
            let server = try ScriptedFTPServer()
            let url = server.url.replacing("ftp://", with: "http://")
            let rig = try LaneRig(directory, url: url)
            let ended = await rig.run(try rig.download("\(url)/x"))
            #expect(ended.failure?.class == .temporary, "\(ended)")
        }
    }

    @Test func `parts that the server caps are put together`() async throws {
        try await withTemporaryDirectory { directory in
            let content = TestContent.pattern(10_000)
            let server = try ScriptedHTTPServer { request in
                let range = request.range(of: content.count) ?? 0..<content.count
                let part = range.lowerBound..<min(range.upperBound, range.lowerBound + 3_000)
                return HTTPBehaviour(
                    status: 206,
                    headers: [
                        HTTPHeader("Content-Range", "bytes \(part.lowerBound)-\(part.upperBound - 1)/10000"),
                        HTTPHeader("ETag", Self.tag),
                    ], body: content.slice(part))
            }
            let rig = try LaneRig(directory, url: server.url)
            let checksum = Checksum("sha256:\(content.sha256)")
            let ended = await rig.run(try rig.download("\(server.url)/x", checksum: checksum))
            #expect(ended.arrival?.digest == "sha256:\(content.sha256) (matches --checksum)", "\(ended)")
            #expect(try TestFile.read(rig.downloaded()) == content.bytes)
            #expect(server.requests.count == 4)
        }
    }

    @Test func `bytes that no version guards are not gone on with`() async throws {
        try await withTemporaryDirectory { directory in
            let content = TestContent.pattern(1_000)
            let server = try ScriptedHTTPServer { .object(content, for: $0) }
            let rig = try LaneRig(directory, url: server.url)
            for (tag, checksum) in [
                (nil, nil), ("W/\"1\"", nil), (nil, Checksum("sha256:\(content.sha256)")),
            ] {
                let job = try begun(
                    rig, "\(server.url)/x", with: Array(content.bytes.prefix(500)), offset: 400,
                    validator: validator(tag: tag, total: 1_000), checksum: checksum)
                #expect(await rig.run(job).hasArrived)
                #expect(try TestFile.read(rig.downloaded()) == content.bytes)
                #expect((server.requests.last?.header("Range") != nil) == (checksum != nil))
            }
        }
    }

    @Test func `a complete file needs no request`() async throws {
        try await withTemporaryDirectory { directory in
            let content = TestContent.pattern(1_000).bytes
            let server = try ScriptedHTTPServer { _ in .text("no", status: 500) }
            let rig = try LaneRig(directory, url: server.url)
            let job = try begun(
                rig, "\(server.url)/x", with: content, offset: 1_000, validator: validator(total: 1_000))
            #expect(await rig.run(job).hasArrived)
            #expect(try TestFile.read(rig.downloaded()) == content)
            #expect(server.requests.isEmpty)
        }
    }

    @Test func `a checksum decides`() async throws {
        try await withTemporaryDirectory { directory in
            let content = TestContent.pattern(1_000)
            let server = try ScriptedHTTPServer { .object(content, for: $0, etag: Self.tag) }
            let rig = try LaneRig(directory, url: server.url)
            let right = try #require(Checksum("sha256:\(content.sha256)"))
            let wrong = try #require(Checksum("sha256:" + String(repeating: "0", count: 64)))
            let foreign = Array(repeating: UInt8(7), count: 500)
            let spliced = try begun(
                rig, "\(server.url)/x", with: foreign, offset: 400, validator: validator(total: 1_000),
                checksum: right)
            let again = await rig.run(spliced)
            #expect(again.failure?.class == .temporary, "\(again)")
            #expect(try rig.downloads().isEmpty)
            #expect(again.checkpoint == Checkpoint())
            #expect(await rig.run(try rig.download("\(server.url)/x", checksum: right)).hasArrived)
            let bad = await rig.run(try rig.download("\(server.url)/x", checksum: wrong))
            #expect(bad.failure?.class == .permanent)
            try await eventually("the removal") { try rig.downloads() == ["target"] }
        }
    }

    // MARK: Our own files

    @Test func `only a file that is beyond doubt our own is written to`() async throws {
        try await withTemporaryDirectory { directory in
            let content = TestContent.pattern(1_000)
            let server = try ScriptedHTTPServer { .object(content, for: $0, etag: Self.tag) }
            let rig = try LaneRig(directory, url: server.url)
            let victim = try directory.write("victim", to: "victim")
            let part = rig.downloaded(".target.7.part")
            for disguise in 0..<3 {
                let job = try begun(
                    rig, "\(server.url)/x", with: Array(content.bytes.prefix(500)), offset: 400,
                    validator: validator(total: 1_000))
                switch disguise {
                case 0: link(part, directory.appending("second-name"))
                case 1:
                    unlink(part)
                    symlink(victim, part)
                default:
                    unlink(part)
                    link(victim, part)
                }
                #expect(await rig.run(job).hasArrived)
                #expect(try TestFile.read(rig.downloaded()) == content.bytes)
                #expect(TestFile.text(victim) == "victim")
                #expect(server.requests.last?.header("Range") == nil)
            }
        }
    }

    @Test func `a target is not led elsewhere`() async throws {
        try await withTemporaryDirectory { directory in
            let server = try ScriptedHTTPServer { _ in .text("content") }
            let rig = try LaneRig(directory, url: server.url)
            try directory.makeDirectory("elsewhere")
            symlink(directory.appending("elsewhere"), rig.downloaded("way"))
            for target in ["way/target", "../elsewhere/target", "/etc/target", "a/../../elsewhere/target"] {
                let ended = await rig.run(try rig.download("\(server.url)/x", to: target))
                #expect(ended.failure?.class == .permanent, "\(target): \(ended)")
            }
            var job = try rig.download("\(server.url)/x")
            let outside = try #require(FilePath(directory.appending("elsewhere")))
            let target = try #require(FilePath("target"))
            job = Job(
                id: job.id,
                new: NewJob(
                    url: job.url,
                    description: .download(DownloadDescription(directory: outside, target: target)),
                    idempotencyKey: "", expiresAt: job.expiresAt, createdAt: job.createdAt), state: job.state)
            #expect(await rig.run(job).failure?.class == .permanent)
            #expect(try TestFile.names(in: directory.appending("elsewhere")).isEmpty)
            #expect(server.requests.isEmpty)
        }
    }

    @Test func `a name of 255 bytes has room beside it`() async throws {
        try await withTemporaryDirectory { directory in
            let server = try ScriptedHTTPServer { _ in .text("content") }
            let rig = try LaneRig(directory, url: server.url)
            let name = String(repeating: "x", count: 255)
            #expect(await rig.run(try rig.download("\(server.url)/x", to: name)).hasArrived)
            #expect(try rig.downloads() == [name])
        }
    }

    @Test func `a job that had come to the rename ends with it`() async throws {
        try await withTemporaryDirectory { directory in
            let server = try ScriptedHTTPServer { _ in .text("another") }
            let rig = try LaneRig(directory, url: server.url)
            let content = TestContent.pattern(1_000).bytes
            let job = try begun(
                rig, "\(server.url)/x", with: content, offset: 1_000, validator: validator(total: 1_000),
                stage: .renaming)
            let first = await rig.run(job)
            #expect(first.arrival?.size == ByteCount(1_000))
            #expect(try TestFile.read(rig.downloaded()) == content)
            #expect(await rig.run(job).arrival?.size == ByteCount(1_000))
            #expect(server.requests.isEmpty)
            try TestFile.write(content, to: rig.downloaded("new"))
            #expect(rename(rig.downloaded("new"), rig.downloaded()) == 0)
            #expect(await rig.run(job).hasArrived)
            #expect(server.requests.count == 1)
            #expect(TestFile.text(rig.downloaded()) == "another")
        }
    }

    @Test func `a new version is written only when its file is on record`() async throws {
        try await withTemporaryDirectory { directory in
            let server = try ScriptedHTTPServer { _ in
                HTTPBehaviour(headers: [HTTPHeader("ETag", "\"v2\"")], body: .pattern(1_000))
            }
            let rig = try LaneRig(directory, url: server.url, isDurable: false)
            let job = try begun(
                rig, "\(server.url)/x", with: Array(repeating: 0, count: 500), offset: 400,
                validator: validator(total: 1_000))
            let progress = Progress()
            rig.start(job, progress: progress)
            try await eventually("the stage", timeout: .seconds(30)) { rig.stages == [.sending] }
            rig.lane.interrupt(job.id)
            #expect(await rig.end(of: job).outcome == .interrupted)
            #expect(TestFile.size(rig.downloaded(".target.7.part")) == 0)
            #expect(progress.offset == .zero)
        }
    }

    // MARK: Other addresses

    @Test func `secrets go to the first server alone`() async throws {
        try await withTemporaryDirectory { directory in
            let other = try ScriptedHTTPServer { _ in .text("content") }
            let address = other.url.replacing("127.0.0.1", with: "127.0.0.1") + "/signed?x=1"
            let server = try ScriptedHTTPServer { request in
                let place = request.target == "/x" ? "/y" : address
                return .text("", status: 302, headers: [HTTPHeader("Location", place)])
            }
            let login = CredentialsTable.Login.credentials(Credentials(user: "me", password: "secret"))
            let rig = try LaneRig(directory, url: server.url, login: login)
            #expect(await rig.run(try rig.download("\(server.url)/x")).hasArrived)
            #expect(server.requests.map(\.target) == ["/x", "/y"])
            #expect(server.requests.allSatisfy { $0.header("Authorization") == "Basic bWU6c2VjcmV0" })
            #expect(other.requests.map(\.target) == ["/signed?x=1"])
            #expect(other.requests.allSatisfy { $0.header("Authorization") == nil })
        }
    }

    @Test(arguments: ["/circle", "file:///etc/passwd", "ftp://127.0.0.1:9/x", "gopher://127.0.0.1/"])
    func `an address that leads nowhere good is permanent`(location: String) async throws {
        try await withTemporaryDirectory { directory in
            let server = try ScriptedHTTPServer { _ in
                .text("", status: 301, headers: [HTTPHeader("Location", location)])
            }
            let rig = try LaneRig(directory, url: server.url)
            let ended = await rig.run(try rig.download("\(server.url)/circle"))
            #expect(ended.failure?.class == .permanent)
            #expect(server.requests.count <= 11)
        }
    }

    @Test func `an address that expired is asked for anew`() async throws {
        try await withTemporaryDirectory { directory in
            let content = TestContent.pattern(1_000)
            let server = try ScriptedHTTPServer { request in
                request.target == "/x"
                    ? .text("", status: 302, headers: [HTTPHeader("Location", "/signed-\(request.index)")])
                    : .object(content, for: request, etag: Self.tag)
            }
            let rig = try LaneRig(directory, url: server.url)
            let job = try begun(
                rig, "\(server.url)/x", with: Array(content.bytes.prefix(400)), offset: 400,
                validator: validator(total: 1_000))
            #expect(await rig.run(job).hasArrived)
            #expect(server.requests.map(\.target) == ["/x", "/signed-0"])
            #expect(try TestFile.read(rig.downloaded()) == content.bytes)
        }
    }

    @Test func `a compressed answer becomes the file that was asked for`() async throws {
        try await withTemporaryDirectory { directory in
            // "content" in one stored block of a gzip stream (RFC 1952).
            let packed: [UInt8] =
                [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3, 1, 7, 0, 0xf8, 0xff] + Array("content".utf8)
                + [0xa9, 0x30, 0xc5, 0xfe, 7, 0, 0, 0]
            let server = try ScriptedHTTPServer { _ in
                HTTPBehaviour(headers: [HTTPHeader("Content-Encoding", "gzip")], body: .bytes(packed))
            }
            let rig = try LaneRig(directory, url: server.url)
            let ended = await rig.run(try rig.download("\(server.url)/x"))
            #expect(ended.hasArrived, "\(ended)")
            #expect(TestFile.text(rig.downloaded()) == "content")
            #expect(server.requests.allSatisfy { $0.header("Accept-Encoding") == "identity" })
            #expect(await rig.run(try rig.download("\(server.url)/x", to: "x.gz")).hasArrived)
            #expect(try TestFile.read(rig.downloaded("x.gz")) == packed)
        }
    }

    // MARK: A disk that fails

    @Test func `a full disk is said in words and what stood there stays`() async throws {
        try await withTemporaryDirectory { directory in
            let nginx = try await NginxServer.start(in: directory)
            let place = try directory.makeDirectory("downloads")
            guard let disk = try await SmallDisk.mount(at: place, size: "1m") else {
                return await nginx.stop()
            }
            let rig = try LaneRig(directory, url: nginx.url, downloads: disk.path)
            _ = try rig.randomSource(megabytes: 3)
            try #require(rename(directory.appending("spool/random"), "\(nginx.home)/x") == 0)
            let old = "\(disk.path)/target"
            try TestFile.write([1, 2, 3], to: old)
            let ended = await rig.run(try rig.download("\(nginx.url)/x"))
            #expect(ended.failure?.class == .local)
            #expect(ended.failure?.code == Int(ENOSPC))
            #expect(ended.failure?.text.contains("No space left on device") == true)
            #expect(try TestFile.read(old) == [1, 2, 3])
            await nginx.stop()
        }
    }
}
