import CCrypto

/// A SHA-256 that takes its bytes in pieces.
struct SHA256: ~Copyable {
    private let context: OpaquePointer

    init() {
        guard let context = EVP_MD_CTX_new() else {
            preconditionFailure("libcrypto has no memory for a digest")
        }
        self.context = context
        EVP_DigestInit_ex(context, EVP_sha256(), nil)
    }

    deinit { EVP_MD_CTX_free(context) }

    mutating func update(_ bytes: [UInt8]) { EVP_DigestUpdate(context, bytes, bytes.count) }

    /// The digest in lower case hexadecimal; nothing may be added after it.
    mutating func finish() -> String {
        var digest = [UInt8](repeating: 0, count: 32)
        EVP_DigestFinal_ex(context, &digest, nil)
        let digits = Array("0123456789abcdef".utf8)
        return String(
            decoding: digest.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
    }
}

/// The SHA-256 of `bytes` in lower case hexadecimal.
public func sha256(_ bytes: [UInt8]) -> String { TestContent.bytes(bytes).sha256 }
