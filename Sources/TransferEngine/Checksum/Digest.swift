import CCrypto

/// A checksum that takes its bytes in pieces.
// @unchecked: the context has one owner at a time, since the value can't be copied.
struct Digest: ~Copyable, @unchecked Sendable {
    let algorithm: ChecksumAlgorithm
    /// nil for a CRC, which is computed here.
    private let context: OpaquePointer?
    private var crc = CRC32()

    init(_ algorithm: ChecksumAlgorithm = .sha256) {
        self.algorithm = algorithm
        guard let digest = algorithm.digest else {
            context = nil
            return
        }
        guard let context = EVP_MD_CTX_new() else {
            preconditionFailure("libcrypto has no memory for a digest")
        }
        self.context = context
        EVP_DigestInit_ex(context, digest, nil)
    }

    deinit {
        if let context { EVP_MD_CTX_free(context) }
    }

    mutating func update(_ bytes: UnsafeRawBufferPointer) {
        if let context {
            EVP_DigestUpdate(context, bytes.baseAddress, bytes.count)
        } else {
            crc.update(bytes)
        }
    }

    /// The checksum of everything so far, in lower case hexadecimal; nothing may be added after it.
    mutating func finish() -> String {
        var bytes = [UInt8](repeating: 0, count: algorithm.digits / 2)
        if let context {
            EVP_DigestFinal_ex(context, &bytes, nil)
        } else {
            bytes = (0..<4).map { UInt8(truncatingIfNeeded: crc.value >> (24 - 8 * $0)) }
        }
        let digits = Array("0123456789abcdef".utf8)
        return String(
            decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
    }
}
