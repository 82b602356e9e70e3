import Synchronization
import TestServers
import Testing
import TransferModel

@testable import TransferEngine

@Suite struct `Uploads that are verified` {
    private func scene(
        _ verification: Verification, features: String? = nil,
        script: @escaping @Sendable (FTPCommand) -> FTPBehaviour
    ) throws -> DeliveryScene {
        try DeliveryScene {
            $0.verification = verification
        } script: { command in
            guard command.verb == "FEAT", let features else { return script(command) }
            return .replies("211-Features:\r\n SIZE\r\n \(features)\r\n211 End")
        }
    }

    private static let sha256 = TestContent.pattern(5_000).sha256

    @Test(arguments: [
        ("HASH SHA-1;SHA-256*;MD5", "HASH", "213 SHA-256 0-4999 \(sha256) .in.bin.1.k3y1.part"),
        ("XSHA256", "XSHA256", "250 \(sha256.uppercased())"),
        ("XCRC\r\n XSHA256 filename", "XSHA256", "213 \(sha256)"),
    ])
    func `the strongest checksum that the server offers is compared`(
        features: String, verb: String, reply: String
    ) async throws {
        let scene = try scene(.checksum, features: features) { command in
            command.verb == verb ? .replies(reply) : .right
        }
        let ended = try await scene.run(5_000)
        #expect(
            sentences(ended) == ["sha256:\(Self.sha256)", "SHA-256 by \(verb) equal", "size 5000 by SIZE"],
            "\(ended)")
        _ = try await scene.run(5_000, to: "/two.bin")
        #expect(scene.count("FEAT") == 1)
    }

    @Test(arguments: ["HASH SHA-256*", "XSHA256"])
    func `a checksum that is another one is found out before the rename, and nothing is kept`(
        features: String
    )
        async throws
    {
        let wrong = String(repeating: "0", count: 64)
        let scene = try scene(.checksum, features: features) { command in
            command.verb == "HASH"
                ? .replies("213 SHA-256 0-4999 \(wrong) x")
                : command.verb == "XSHA256" ? .replies("250 \(wrong)") : .right
        }
        let ended = try await scene.run(5_000)
        #expect(ended.failure?.class == .temporary, "\(ended)")
        #expect(ended.failure?.text.contains("SHA-256") == true)
        #expect(scene.count("RNTO") == 0)
        #expect(scene.server.files.names.isEmpty)
    }

    @Test func `a checksum that the server refuses gives way to a weaker one`() async throws {
        let scene = try scene(.checksum, features: "XSHA256\r\n XCRC") { command in
            switch command.verb {
            case "XSHA256": .replies("502 Switched off.")
            case "XCRC": .replies("250 CBF43926")
            default: .right
            }
        }
        let job = try scene.rig.upload(
            scene.rig.source(.bytes(Array("123456789".utf8))), to: "\(scene.server.url)/in.bin")
        let ended = await scene.rig.run(job)
        #expect(sentences(ended).contains("CRC32 by XCRC equal"), "\(ended)")
    }

    @Test func `a server that computes none is verified by size, and the job says so`() async throws {
        let scene = try scene(.checksum) { _ in .right }
        let ended = try await scene.run(5_000)
        #expect(
            sentences(ended) == ["no checksum: the server computes none", "size 5000 by SIZE"], "\(ended)")
    }

    @Test func `a server that knows no FEAT computes none`() async throws {
        let scene = try scene(.checksum) { $0.verb == "FEAT" ? .replies("500 What?") : .right }
        let ended = try await scene.run(5_000)
        #expect(ended.hasArrived, "\(ended)")
        #expect(sentences(ended).first == "no checksum: the server computes none")
    }

    @Test func `of a file that was gone on with the whole is computed`() async throws {
        let sha256 = TestContent.pattern(100_000).sha256
        let scene = try scene(.checksum, features: "XSHA256") { command in
            switch command.verb {
            case "STOR" where command.occurrence == 0: .cutsData(after: 40_000)
            case "XSHA256": .replies("250 \(sha256)")
            default: .right
            }
        }
        let job = try scene.upload(100_000)
        let first = await scene.rig.run(job)
        let second = await scene.rig.run(scene.rig.next(job, after: first))
        #expect(scene.count("APPE") == 1)
        #expect(sentences(second).first == "sha256:\(sha256)", "\(second)")
        #expect(scene.holds(100_000))
    }

    @Test func `what was verified is told by the attempt that concludes it`() async throws {
        let scene = try scene(.checksum, features: "XSHA256") { command in
            switch command.verb {
            case "XSHA256": .replies("250 \(Self.sha256)")
            case "RNTO" where command.occurrence == 0: .lost
            default: .right
            }
        }
        let job = try scene.upload(5_000)
        let first = await scene.rig.run(job)
        #expect(first.stage == .renaming)
        let second = await scene.rig.run(scene.rig.next(job, after: first))
        #expect(
            sentences(second) == ["sha256:\(Self.sha256)", "SHA-256 by XSHA256 equal", "size 5000 by SIZE"],
            "\(second)")
        #expect(scene.count("STOR") == 1)
    }

    @Test func `the last bytes are read back and compared`() async throws {
        let scene = try scene(.readBack) { _ in .right }
        let ended = try await scene.run(100_000)
        #expect(
            sentences(ended) == ["last 65536 bytes read back equal", "size 100000 by SIZE"], "\(ended)")
        #expect(scene.lines("REST") == ["REST 34464"])
        let small = try await scene.run(10, to: "/small")
        #expect(sentences(small).first == "last 10 bytes read back equal", "\(small)")
    }

    @Test func `last bytes that are others are found out before the rename`() async throws {
        let held = Holder()
        let scene = try scene(.readBack) { command in
            if command.verb == "RETR", let files = held.server?.files {
                let path = "/" + command.text
                files[path] = files[path].map { Array($0.dropLast()) + [0] }
            }
            return .right
        }
        held.set(scene.server)
        let ended = try await scene.run(100_000)
        #expect(ended.failure?.class == .temporary, "\(ended)")
        #expect(scene.count("RNTO") == 0)
        #expect(scene.server.files.names.isEmpty)
    }

    @Test func `what may not be read is said to be so`() async throws {
        let scene = try scene(.readBack) { $0.verb == "RETR" ? .replies("550 Write only.") : .right }
        let ended = try await scene.run(5_000)
        #expect(
            sentences(ended) == [
                "not read back: the server does not let it be read", "size 5000 by SIZE",
            ], "\(ended)")
    }

    @Test func `a CRC is the one that ZIP has`() {
        var digest = Digest(.crc32)
        Array("123456789".utf8).withUnsafeBytes { digest.update($0) }
        #expect(digest.finish() == "cbf43926")
    }

    @Test(arguments: [
        ("HASH", ChecksumAlgorithm.md5, "213 MD5 0-9 00112233445566778899aabbccddeeff a b", true),
        ("HASH", .md5, "213 SHA-1 0-9 00112233445566778899aabbccddeeff a b", false),
        ("MD5", .md5, "251 ffffffffffffffffffffffffffffffff 00112233445566778899AABBCCDDEEFF", true),
        ("XMD5", .md5, "250 Computing MD5 digest / 00112233445566778899AABBCCDDEEFF", true),
        ("HASH", .md5, "213 Computing / MD5 0-9 00112233445566778899aabbccddeeff a b", true),
        ("XMD5", .md5, "250 nothing to see", false), ("XMD5", .md5, "550 No such file", false),
    ])
    func `a reply is a checksum or none`(
        verb: String, algorithm: ChecksumAlgorithm, line: String, isOne: Bool
    ) throws {
        var log = ReplyLog()
        log.take(Array(line.utf8))
        let way = FTPChecksum(algorithm: algorithm, verb: verb)
        let found = way.checksum(in: try #require(log.entries.last))
        #expect(found == (isOne ? "00112233445566778899aabbccddeeff" : nil))
    }
}

/// A server that its own script wants to see.
private final class Holder: Sendable {
    private let held = Mutex<ScriptedFTPServer?>(nil)

    func set(_ server: ScriptedFTPServer) { held.withLock { $0 = server } }
    var server: ScriptedFTPServer? { held.withLock { $0 } }
}
