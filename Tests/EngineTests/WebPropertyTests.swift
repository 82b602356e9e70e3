import Synchronization
import TestServers
import Testing
import TransferEngine
import TransferModel

/// Times and checksums that web servers keep.
@Suite struct WebPropertyTests {
    private static let date = "Sat, 03 Feb 2001 04:05:06 GMT"

    private func setTime(_ scene: WebScene) throws {
        try TestFile.setModified(scene.rig.directory.appending("spool/file.bin"), to: 981_173_106)
    }

    @Test func `a server that speaks WebDAV is told the time with the file`() async throws {
        let scene = try WebScene {
            $0.keepsModified = true
        } script: { request, files in
            guard request.method == "PUT" else { return nil }
            let behaviour = files.put(request)
            files[request.target]?.modified = request.header("X-OC-Mtime") == "981173106" ? Self.date : nil
            return behaviour
        }
        let job = try scene.upload(10)
        try setTime(scene)
        #expect(
            sentences(await scene.rig.run(job)) == ["size 10 by HEAD", "modification time by X-OC-Mtime"])
        #expect(scene.asked.first == "OPTIONS /")
    }

    @Test func `a property that only looks as if it were set does not count`() async throws {
        let tries = Mutex(0)
        let scene = try WebScene {
            $0.keepsModified = true
        } script: { request, files in
            guard request.method == "PROPPATCH" else { return nil }
            tries.withLock { $0 += 1 }
            if tries.withLock({ $0 }) == 2 { files["/in.bin"]?.modified = Self.date }
            return HTTPBehaviour(status: 207)
        }
        let job = try scene.upload(10)
        try setTime(scene)
        #expect(sentences(await scene.rig.run(job)).last == "modification time by PROPPATCH getlastmodified")
        #expect(scene.requests("PROPPATCH").count == 2)
    }

    @Test func `a server without WebDAV is told nothing, and that is said`() async throws {
        let scene = try WebScene {
            $0.keepsModified = true
        } script: { request, _ in
            request.method == "OPTIONS" ? HTTPBehaviour(status: 405) : nil
        }
        let ended = try await scene.run(10)
        #expect(sentences(ended).last == "modification time not kept: the server takes none")
        #expect(scene.requests("PUT").first?.header("X-OC-Mtime") == nil)
        #expect(scene.requests("PROPPATCH").isEmpty)
    }

    @Test(arguments: [true, false]) func `a checksum that the server tells is compared`(isRight: Bool)
        async throws
    {
        let scene = try WebScene {
            $0.verification = .checksum
        } script: { request, files in
            guard request.method == "HEAD", let found = files[request.target] else { return nil }
            let digest =
                isRight
                ? "ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0="
                : "47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU="
            var behaviour = HTTPBehaviour(headers: [HTTPHeader("Repr-Digest", "sha-256=:\(digest):")])
            behaviour.announces = .falseLength(found.length)
            return behaviour
        }
        let source = try scene.rig.source(.bytes(Array("abc".utf8)))
        let ended = await scene.rig.run(try scene.rig.upload(source, to: scene.server.url + "/in.bin"))
        #expect(ended.hasArrived == isRight)
        #expect(isRight == sentences(ended).contains("SHA-256 by repr-digest equal"))
        #expect(scene.requests("DELETE").isEmpty)
    }

    @Test func `where no checksum is told that is said`() async throws {
        let scene = try WebScene { $0.verification = .checksum }
        #expect(sentences(try await scene.run(10)).first == "no checksum: the server computes none")
    }

    @Test func `the last bytes are read back`() async throws {
        let scene = try WebScene {
            $0.verification = .readBack
        } script: { request, _ in
            request.method == "GET" ? HTTPBehaviour.object(.pattern(100_000), for: request) : nil
        }
        #expect(sentences(try await scene.run(100_000)).first == "last 65536 bytes read back equal")
        #expect(scene.requests("GET").first?.header("Range") == "bytes=34464-99999")
    }
}
