import Testing
import TransferModel

@testable import TransferEngine

@Suite("Lists of checksums") struct ChecksumListTests {
    private static let sha256 = String(repeating: "ab", count: 32)
    private static let other = String(repeating: "cd", count: 32)
    private static let md5 = String(repeating: "0f", count: 16)
    private static let sha512 = String(repeating: "12", count: 64)

    private func found(
        _ text: String, of path: String = "pub/x.iso", in list: String = "SHA256SUMS"
    ) -> String? {
        let file = path.utf8.split(separator: UInt8(ascii: "/")).map { Array($0) }
        return ChecksumList(Array(text.utf8)).checksum(of: file, list: Array(list.utf8))?.description
    }

    @Test(arguments: [
        "\(sha256)  x.iso\n", "\(sha256) *x.iso\r\n", "\(sha256)\tx.iso", "\(sha256.uppercased()) x.iso",
        "\(sha256)  ./x.iso", "\(sha256)  /srv/other/x.iso", "SHA256 (x.iso) = \(sha256)\n",
        "SHA256(x.iso)= \(sha256)", "SHA2-256(x.iso)= \(sha256)", "\u{feff}\(sha256)  x.iso", "\(sha256)\n",
        "  \(sha256)  \n",
        "-----BEGIN PGP SIGNED MESSAGE-----\nHash: SHA256\n\n\(other)  y.iso\n\(sha256)  x.iso\n-----BEGIN PGP",
        "# x.iso: 5 bytes\n\(md5)  x.iso\n\(sha256)  x.iso\n",
        "MD5 (x.iso) = \(md5)\nSHA256 (x.iso) = \(sha256)\n",
        "\(other)  old/x.iso\n\(sha256)  pub/x.iso\n", "\(sha256)  x.iso\n\(sha256)  copy/x.iso\n",
    ])
    func `the checksum of a file is found as the tools write it`(text: String) {
        #expect(found(text) == "sha256:\(Self.sha256)")
    }

    @Test(arguments: [
        "", "x.iso\n", "\(other)  y.iso\n", "\(sha256.dropLast())  x.iso", "zz\(sha256.dropFirst(2))  x.iso",
        "\(other)  a/x.iso\n\(sha256)  b/x.iso\n", "SHA256 (x.iso) = \(md5)", "SHA256 x.iso = \(sha256)",
        "\(sha256)\n\(other)\n", "<html>404</html>", "WHIRLPOOL (x.iso) = \(sha256)",
    ])
    func `what says nothing of the file, or two things, is none`(text: String) {
        #expect(found(text) == nil)
    }

    @Test func `the strongest counts, and a list of one file's is believed whatever name it has`() {
        #expect(found("\(Self.md5)  x.iso\n\(Self.sha512)  x.iso\n") == "sha512:\(Self.sha512)")
        #expect(found("\(Self.sha256)  x-1.0.iso\n", in: "x.iso.sha256") == "sha256:\(Self.sha256)")
        #expect(found("\(Self.sha256)  x-1.0.iso\n", in: "SHA256SUMS") == nil)
    }

    @Test func `names with escapes and odd bytes are told apart`() {
        #expect(found("\\\(Self.sha256)  a\\\\b\\nc\n", of: "a\\b\nc") == "sha256:\(Self.sha256)")
        #expect(found("\\\(Self.sha256)  a\\\\b\n", of: "a\\\\b") == nil)
        #expect(found("\(Self.sha256)  a b (1) = x.iso\n", of: "a b (1) = x.iso") == "sha256:\(Self.sha256)")
        #expect(found("SHA256 (a (1)= b) = \(Self.sha256)\n", of: "a (1)= b") == "sha256:\(Self.sha256)")
        #expect(found("\(Self.sha256)   x.iso\n", of: " x.iso") == "sha256:\(Self.sha256)")
    }

    @Test(
        arguments: [
            ("sha256:\(sha256)", "sha256:\(sha256)"), ("SHA-256:\(sha256)", "sha256:\(sha256)"),
            (md5, "md5:\(md5)"), (sha512.uppercased(), "sha512:\(sha512)"), ("sha1:\(md5)", nil),
            ("md4:\(md5)", nil),
            ("sha256:", nil), ("", nil), ("crc32:00000000", nil),
        ] as [(String, String?)])
    func `a checksum is read with its kind, or by its length`(text: String, expected: String?) {
        #expect(Checksum(text)?.description == expected)
    }
}

@Suite("What a server says the checksum is") struct RepresentationDigestTests {
    /// Of "content".
    private static let sha256 = "7XACtDnpr4Rfbk6/9aMOiP4MWKoEHzkbgLJcaJ0Sy8c="

    private func found(_ status: Int, _ fields: [String]) -> [Checksum.Algorithm] {
        var head = HTTPHead()
        head.take("HTTP/1.1 \(status) x\r\n".utf8)
        for field in fields { head.take("\(field)\r\n".utf8) }
        head.take("\r\n".utf8)
        return RepresentationDigests.read(head).map(\.algorithm)
    }

    private static let zeros = String(repeating: "A", count: 43) + "="
    private static let ones = String(repeating: "B", count: 42) + "A="
    private static let md5 = String(repeating: "A", count: 22) + "=="

    @Test(
        arguments: [
            (200, ["Repr-Digest: sha-256=:\(zeros):"], [.sha256]),
            (206, ["Repr-Digest: md5=:\(md5):, sha-256=:\(zeros):;p=1"], [.sha256]),
            (200, ["Digest: SHA-256=\(zeros),md5=\(md5)"], [.sha256]), (206, ["Digest: md5=\(md5)"], [.md5]),
            (200, ["Content-Digest: sha-256=:\(zeros):"], [.sha256]),
            (206, ["Content-Digest: sha-256=:\(zeros):"], []),
            (200, ["Content-MD5: \(md5)"], [.md5]), (206, ["Content-MD5: \(md5)"], []),
            (200, ["Repr-Digest: sha-256=:\(zeros):", "Content-Digest: sha-256=:\(ones):"], []),
            (200, ["Repr-Digest: sha-256=:\(zeros):", "Content-Encoding: gzip"], []),
            (200, ["Repr-Digest: sha-256=\(zeros)"], []), (200, ["Repr-Digest: sha-256=:AAAA:"], []),
            (200, ["Repr-Digest: sha-256=:??:", "Digest: unixsum=30637", "Digest: ,=,"], []),
        ] as [(Int, [String], [Checksum.Algorithm])])
    func `a digest of the whole file counts, and nothing else`(
        status: Int, fields: [String], expected: [Checksum.Algorithm]
    ) {
        #expect(found(status, fields) == expected)
    }
}
