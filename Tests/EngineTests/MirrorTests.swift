import TestServers
import Testing
import TransferModel

@testable import TransferEngine

@Suite("Several addresses of one file") struct MirrorTests {
    private func mirrored(
        _ rig: LaneRig, _ server: ScriptedHTTPServer, _ mirrors: [String], checksum: Checksum? = nil
    ) throws -> Job {
        try rig.download("\(server.url)/own", checksum: checksum) {
            $0.mirrors = try mirrors.map { try TransferURL($0) }
        }
    }

    @Test(arguments: [404, 503, 0])
    func `the first address that works brings the file`(status: Int) async throws {
        try await withTemporaryDirectory { directory in
            let server = try ScriptedHTTPServer { _ in
                status == 0 ? .resetAfterBody : .text("no", status: status)
            }
            let mirror = try ScriptedHTTPServer { request in
                request.target == "/good" ? .text("content") : .text("no", status: 404)
            }
            let rig = try LaneRig(directory, url: server.url)
            let ended = await rig.run(
                try mirrored(rig, server, ["\(mirror.url)/bad", "\(mirror.url)/good", "\(mirror.url)/never"]))
            #expect(ended.arrival?.digest == "from \(mirror.url)/good", "\(ended)")
            #expect(ended.arrival?.isOfOrigin == false)
            #expect(TestFile.text(rig.downloaded()) == "content")
            #expect(mirror.requests.map(\.target) == ["/bad", "/good"])
            #expect(try rig.downloads() == ["target"])
        }
    }

    @Test func `the job's own address is all that is asked where it works`() async throws {
        try await withTemporaryDirectory { directory in
            let server = try ScriptedHTTPServer { _ in .text("content") }
            let mirror = try ScriptedHTTPServer { _ in .text("other") }
            let rig = try LaneRig(directory, url: server.url)
            let ended = await rig.run(try mirrored(rig, server, ["\(mirror.url)/x"]))
            #expect(ended.arrival?.digest == nil && ended.arrival?.isOfOrigin == true, "\(ended)")
            #expect(mirror.requests.isEmpty)
        }
    }

    @Test func `no login goes to a mirror`() async throws {
        try await withTemporaryDirectory { directory in
            let server = try ScriptedHTTPServer { _ in .text("no", status: 503) }
            let mirror = try ScriptedHTTPServer { _ in .text("content") }
            let rig = try LaneRig(
                directory, url: server.url, login: .credentials(Credentials(user: "u", password: "secret")))
            #expect(await rig.run(try mirrored(rig, server, ["\(mirror.url)/x"])).hasArrived)
            #expect(server.requests.first?.header("Authorization") != nil)
            #expect(mirror.requests.first?.header("Authorization") == nil)
        }
    }

    @Test func `a file with the wrong checksum is fetched elsewhere`() async throws {
        try await withTemporaryDirectory { directory in
            let server = try ScriptedHTTPServer { _ in .text("bad") }
            let mirror = try ScriptedHTTPServer { _ in .text("content") }
            let rig = try LaneRig(directory, url: server.url)
            let sum = try #require(Checksum(sha256(Array("content".utf8))))
            let ended = await rig.run(try mirrored(rig, server, ["\(mirror.url)/x"], checksum: sum))
            #expect(
                ended.arrival?.digest == "\(sum) (matches --checksum); from \(mirror.url)/x", "\(ended)")
            #expect(try rig.downloads() == ["target"])
        }
    }

    @Test(arguments: [true, false])
    func `a mirror goes on with what is there where a checksum tells that it is the same file`(
        hasChecksum: Bool
    ) async throws {
        try await withTemporaryDirectory { directory in
            let content = TestContent.pattern(300_000)
            let server = try ScriptedHTTPServer { request in
                var answer = HTTPBehaviour.object(content, for: request, etag: "\"here\"")
                answer.cutAfter = 200_000
                answer.ending = .resets
                return answer
            }
            let mirror = try ScriptedHTTPServer { .object(content, for: $0, etag: "\"there\"") }
            let rig = try LaneRig(directory, url: server.url)
            let sum = hasChecksum ? Checksum("sha256:\(content.sha256)") : nil
            let ended = await rig.run(try mirrored(rig, server, ["\(mirror.url)/x"], checksum: sum))
            #expect(ended.hasArrived, "\(ended)")
            #expect(try TestFile.read(rig.downloaded()) == content.bytes)
            #expect(mirror.requests.count == 1)
            let request = try #require(mirror.requests.first)
            // Without one the server itself decides, and has another version.
            #expect((request.header("If-Range") == nil) == hasChecksum)
            #expect((ended.checkpoint.validator?.entityTag == "\"there\"") == !hasChecksum)
        }
    }

    @Test func `a later try begins where the bytes came from`() async throws {
        try await withTemporaryDirectory { directory in
            let content = TestContent.pattern(300_000)
            let server = try ScriptedHTTPServer { _ in .text("no", status: 503) }
            let mirror = try ScriptedHTTPServer { request in
                var answer = HTTPBehaviour.object(content, for: request, etag: "\"there\"")
                if request.index == 0 {
                    answer.cutAfter = 200_000
                    answer.ending = .resets
                }
                return answer
            }
            let rig = try LaneRig(directory, url: server.url)
            let job = try mirrored(rig, server, ["\(mirror.url)/x"])
            let progress = Progress()
            let cut = await rig.run(job, progress: progress)
            #expect(cut.failure?.class == .temporary, "\(cut)")
            #expect(cut.failure?.scope == .job)
            #expect(cut.checkpoint.mirror == 0)
            let next = rig.next(job, after: cut, offset: Int(progress.offset.rawValue))
            #expect(await rig.run(next).hasArrived)
            #expect(server.requests.count == 1)
            #expect(mirror.requests.last?.header("Range") != nil)
            #expect(try TestFile.read(rig.downloaded()) == content.bytes)
        }
    }

    @Test(arguments: [(404, 404, Failure.Class.permanent), (404, 503, .temporary), (503, 404, .temporary)])
    func `when none works, one that may work later decides`(
        own: Int, other: Int, expected: Failure.Class
    ) async throws {
        try await withTemporaryDirectory { directory in
            let server = try ScriptedHTTPServer { _ in .text("no", status: own) }
            let mirror = try ScriptedHTTPServer { _ in .text("no", status: other) }
            let rig = try LaneRig(directory, url: server.url)
            let ended = await rig.run(try mirrored(rig, server, ["\(mirror.url)/x"]))
            #expect(ended.failure?.class == expected, "\(ended)")
        }
    }

    @Test func `what is wrong here is told before what is wrong anywhere else`() throws {
        let mirror = try TransferURL("http://b/x")
        var addresses = DownloadAddresses(try TransferURL("http://a/x"), [mirror, mirror], first: nil)
        let first = addresses.next()
        let own = try #require(first)
        let isGoingOn = addresses.failed(own, Failure(.temporary, scope: .origin, text: "no connection"))
        #expect(isGoingOn)
        let other = addresses.next()
        let second = try #require(other)
        #expect(second.mirror == 0)
        let goesOn = addresses.failed(second, Failure(.local, text: "no room"))
        #expect(!goesOn)
        #expect(addresses.failure?.text == "no room")
    }

    @Test func `a mirror that is down says nothing of the job's own server`() async throws {
        try await withTemporaryDirectory { directory in
            let server = try ScriptedHTTPServer { _ in .text("no", status: 404) }
            let rig = try LaneRig(directory, url: server.url)
            let closed = try ScriptedHTTPServer { _ in .text("") }
            closed.stop()
            let ended = await rig.run(try mirrored(rig, server, ["\(closed.url)/x"]))
            #expect(ended.failure?.scope == .job, "\(ended)")
        }
    }
}
