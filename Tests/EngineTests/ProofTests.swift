import TestServers
import Testing
import TransferModel

@testable import TransferEngine

@Suite("What a download is proven by") struct ProofTests {
    private static let text = "content"

    private static func checksum(_ algorithm: Checksum.Algorithm, of text: String = text) -> Checksum {
        let kind: ChecksumAlgorithm = Checksum(algorithm: algorithm, hexadecimal: "").computed
        var digest = Digest(kind)
        Array(text.utf8).withUnsafeBytes { digest.update($0) }
        return Checksum(algorithm: algorithm, hexadecimal: digest.finish())
    }

    private static func base64(_ algorithm: Checksum.Algorithm, of text: String = text) -> String {
        let digits = Array(checksum(algorithm, of: text).hexadecimal.utf8)
        let bytes = stride(from: 0, to: digits.count, by: 2).map { index in
            UInt8(String(decoding: digits[index..<index + 2], as: UTF8.self), radix: 16) ?? 0
        }
        return Base64.encode(bytes)
    }

    @Test(arguments: Checksum.Algorithm.allCases)
    func `every kind of checksum proves, and refuses for good what came in one go`(
        algorithm: Checksum.Algorithm
    ) async throws {
        try await withTemporaryDirectory { directory in
            let server = try ScriptedHTTPServer { _ in .text(Self.text) }
            let rig = try LaneRig(directory, url: server.url)
            let right = Self.checksum(algorithm)
            let good = await rig.run(try rig.download("\(server.url)/x", checksum: right))
            #expect(good.arrival?.digest == "\(right) (matches --checksum)", "\(good)")
            try TestFile.write([1], to: rig.downloaded())
            let wrong = Self.checksum(algorithm, of: "other")
            let bad = await rig.run(try rig.download("\(server.url)/x", checksum: wrong))
            #expect(bad.failure?.class == .permanent, "\(bad)")
            #expect(bad.failure?.text.contains("\(right), not \(wrong) as --checksum has it") == true)
            #expect(try TestFile.read(rig.downloaded()) == [1])
            #expect(try rig.downloads() == ["target"])
        }
    }

    @Test func `of several checksums all have to be right`() async throws {
        try await withTemporaryDirectory { directory in
            let server = try ScriptedHTTPServer { _ in .text(Self.text) }
            let rig = try LaneRig(directory, url: server.url)
            for wrong in [nil] + Checksum.Algorithm.allCases {
                let all = Checksum.Algorithm.allCases.map {
                    Self.checksum($0, of: $0 == wrong ? "other" : Self.text)
                }
                let ended = await rig.run(try rig.download("\(server.url)/x") { $0.checksums = all })
                #expect(ended.hasArrived == (wrong == nil), "\(ended)")
                let proofs = all.map { "\($0) (matches --checksum)" }.joined(separator: "; ")
                if wrong == nil { #expect(ended.arrival?.digest == proofs) }
            }
        }
    }

    // MARK: The server's word

    @Test(arguments: [
        ("Repr-Digest", "sha-256=:%:", Checksum.Algorithm.sha256), ("Digest", "SHA-512=%", .sha512),
        ("Content-Digest", "sha-512=:%:", .sha512), ("Content-MD5", "%", .md5),
    ])
    func `a digest in the head is compared, and one that is wrong is no reason to give up`(
        name: String, form: String, algorithm: Checksum.Algorithm
    ) async throws {
        try await withTemporaryDirectory { directory in
            let server = try ScriptedHTTPServer { request in
                let content = request.target == "/good" ? Self.text : "other"
                let value = form.split(separator: "%", omittingEmptySubsequences: false)
                    .joined(separator: Self.base64(algorithm, of: content))
                return .text(Self.text, headers: [HTTPHeader(name, value)])
            }
            let rig = try LaneRig(directory, url: server.url)
            let good = await rig.run(try rig.download("\(server.url)/good"))
            #expect(
                good.arrival?.digest == "\(Self.checksum(algorithm)) (matches the server's digest)", "\(good)"
            )
            try TestFile.write([1], to: rig.downloaded())
            let bad = await rig.run(try rig.download("\(server.url)/bad"))
            #expect(bad.failure?.class == .temporary, "\(bad)")
            #expect(try TestFile.read(rig.downloaded()) == [1])
            #expect(bad.checkpoint == Checkpoint())
        }
    }

    @Test func `the digest told at the beginning proves a file that was put together`() async throws {
        try await withTemporaryDirectory { directory in
            let content = TestContent.pattern(300_000)
            let digest = Self.base64(.sha256, of: "")
            let sum = try #require(Checksum("sha256:\(content.sha256)"))
            let right = Base64.encode(
                stride(from: 0, to: 64, by: 2).map { index in
                    let digits = Array(sum.hexadecimal.utf8)[index..<index + 2]
                    return UInt8(String(decoding: digits, as: UTF8.self), radix: 16) ?? 0
                })
            let server = try ScriptedHTTPServer { request in
                var answer = HTTPBehaviour.object(content, for: request, etag: "\"v\"")
                // Of a part the one is the whole file's, the other the part's own.
                answer.headers.append(HTTPHeader("Repr-Digest", "sha-256=:\(right):"))
                if request.index > 0 {
                    answer.headers.append(HTTPHeader("Content-Digest", "sha-256=:\(digest):"))
                }
                if request.index == 0 {
                    answer.cutAfter = 200_000
                    answer.ending = .resets
                }
                return answer
            }
            let rig = try LaneRig(directory, url: server.url)
            let job = try rig.download("\(server.url)/x")
            let progress = Progress()
            let cut = await rig.run(job, progress: progress)
            let next = rig.next(job, after: cut, offset: Int(progress.offset.rawValue))
            let ended = await rig.run(next)
            #expect(ended.arrival?.digest == "\(sum) (matches the server's digest)", "\(ended)")
            #expect(server.requests.last?.header("Range") != nil)
        }
    }

    // MARK: Lists

    @Test(arguments: [
        "%  x.iso\n", "% *x.iso\n", "SHA256 (x.iso) = %\n", "%\n", "0  y\n%  ./pub/x.iso\n",
    ])
    func `a list of checksums proves the file that stands in it`(form: String) async throws {
        try await withTemporaryDirectory { directory in
            let server = try ScriptedHTTPServer { request in
                let of = request.target.hasPrefix("/good") ? Self.text : "other"
                guard request.target.hasSuffix("SUMS") else { return .text(Self.text) }
                return .text(
                    form.split(separator: "%", omittingEmptySubsequences: false)
                        .joined(separator: Self.checksum(.sha256, of: of).hexadecimal))
            }
            let rig = try LaneRig(directory, url: server.url)
            let sum = Self.checksum(.sha256)
            for (path, isGood) in [("good", true), ("bad", false)] {
                let job = try rig.download("\(server.url)/\(path)/x.iso") {
                    $0.checksumList = try TransferURL("\(server.url)/\(path)/SHA256SUMS")
                }
                let ended = await rig.run(job)
                if isGood {
                    #expect(ended.arrival?.digest == "\(sum) (matches SHA256SUMS)", "\(ended)")
                } else {
                    #expect(ended.failure?.class == .permanent, "\(ended)")
                    #expect(ended.failure?.text.contains("as SHA256SUMS has it") == true)
                }
            }
        }
    }

    @Test(arguments: [
        ("missing", 404, Failure.Class.permanent, "404"), ("busy", 503, .temporary, "503"),
        ("silent", 200, .permanent, "has no checksum of 'x'"), ("long", 200, .permanent, "longer than 4 MiB"),
        ("cut", 200, .temporary, ""), ("round", 302, .permanent, "leads on"),
        ("ftp", 302, .permanent, "only http"),
    ])
    func `without the list nothing is fetched`(
        path: String, status: Int, class: Failure.Class, words: String
    ) async throws {
        try await withTemporaryDirectory { directory in
            let server = try ScriptedHTTPServer { request in
                guard request.target != "/x" else { return .text(Self.text) }
                var answer = HTTPBehaviour.text("# nothing", status: status)
                if path == "long" { answer.body = .pattern(5 << 20) }
                if path == "cut" {
                    answer.announces = .falseLength(100)
                    answer.ending = .closes
                }
                if path == "round" { answer.headers = [HTTPHeader("Location", "/round")] }
                if path == "ftp" { answer.headers = [HTTPHeader("Location", "ftp://127.0.0.1/x")] }
                return answer
            }
            let rig = try LaneRig(directory, url: server.url)
            let job = try rig.download("\(server.url)/x") {
                $0.checksumList = try TransferURL("\(server.url)/\(path)")
            }
            let ended = await rig.run(job)
            #expect(ended.failure?.class == `class`, "\(ended)")
            #expect(ended.failure?.text.contains(words) == true, "\(ended)")
            #expect(!server.requests.contains { $0.target == "/x" })
            #expect(try rig.downloads().isEmpty)
        }
    }

    @Test func `a list at an FTP server proves a file there`() async throws {
        try await withTemporaryDirectory { directory in
            let server = try ScriptedFTPServer { _ in .right }
            server.files["/d/x"] = Array(Self.text.utf8)
            let sum = Self.checksum(.sha1)
            server.files["/d/x.sha1"] = Array("\(sum.hexadecimal)\n".utf8)
            let rig = try LaneRig(directory, url: server.url)
            let job = try rig.download("\(server.url)/d/x") {
                $0.checksumList = try TransferURL("\(server.url)/d/x.sha1")
            }
            let ended = await rig.run(job)
            #expect(ended.arrival?.digest == "\(sum) (matches x.sha1)", "\(ended)")
        }
    }

    // MARK: Size and type

    @Test(arguments: [
        (7, "text/plain", true), (8, "text/plain", false), (7, "text/*", true), (7, "image/*", false),
        (7, "TEXT/PLAIN", true),
    ])
    func `a file of another size or type is refused before it comes`(
        size: Int, type: String, isGood: Bool
    ) async throws {
        try await withTemporaryDirectory { directory in
            let server = try ScriptedHTTPServer { _ in
                .text(Self.text, headers: [HTTPHeader("Content-Type", "text/plain; charset=utf-8")])
            }
            let rig = try LaneRig(directory, url: server.url)
            try TestFile.write([1], to: rig.downloaded())
            let job = try rig.download("\(server.url)/x") {
                $0.fetch = FetchWishes()
                $0.fetch?.expectedSize = size
                $0.fetch?.expectedType = type
            }
            let ended = await rig.run(job)
            #expect(ended.hasArrived == isGood, "\(ended)")
            if !isGood {
                #expect(ended.failure?.class == .permanent, "\(ended)")
                #expect(try TestFile.read(rig.downloaded()) == [1])
                try await eventually("the removal") { try rig.downloads() == ["target"] }
            }
        }
    }

    @Test func `a size that nobody announced is compared at the end`() async throws {
        try await withTemporaryDirectory { directory in
            let server = try ScriptedHTTPServer { _ in
                var answer = HTTPBehaviour.text(Self.text)
                answer.announces = .chunked
                return answer
            }
            let rig = try LaneRig(directory, url: server.url)
            for (size, isGood) in [(7, true), (6, false)] {
                let job = try rig.download("\(server.url)/x") {
                    $0.fetch = FetchWishes()
                    $0.fetch?.expectedSize = size
                }
                let ended = await rig.run(job)
                #expect(ended.hasArrived == isGood, "\(ended)")
                if !isGood { #expect(ended.failure?.class == .permanent) }
            }
        }
    }
}
