import CCrypto

/// A SHA-256 that takes its bytes in pieces.
// @unchecked: the context has one owner at a time, since the value can't be copied.
struct Digest: ~Copyable, @unchecked Sendable {
    private let context: OpaquePointer

    init() {
        guard let context = EVP_MD_CTX_new() else {
            preconditionFailure("libcrypto has no memory for a digest")
        }
        self.context = context
        EVP_DigestInit_ex(context, EVP_sha256(), nil)
    }

    deinit { EVP_MD_CTX_free(context) }

    mutating func update(_ bytes: UnsafeRawBufferPointer) {
        EVP_DigestUpdate(context, bytes.baseAddress, bytes.count)
    }

    /// The digest of everything so far, in lower case hexadecimal; nothing may be added after it.
    mutating func finish() -> String {
        var digest = [UInt8](repeating: 0, count: 32)
        EVP_DigestFinal_ex(context, &digest, nil)
        let digits = Array("0123456789abcdef".utf8)
        return String(
            decoding: digest.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
    }
}
