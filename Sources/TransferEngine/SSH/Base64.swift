internal import CCrypto

/// RFC 4648, section 4, on one line.
enum Base64 {
    static func encode(_ bytes: [UInt8]) -> String {
        var text = [UInt8](repeating: 0, count: (bytes.count + 2) / 3 * 4 + 1)
        let count = EVP_EncodeBlock(&text, bytes, Int32(bytes.count))
        return String(decoding: text.prefix(Int(count)), as: UTF8.self)
    }

    /// nil for what is no base64 with its padding.
    static func decode(_ text: String) -> [UInt8]? {
        let coded = Array(text.utf8)
        guard coded.count % 4 == 0, !coded.isEmpty else { return nil }
        var bytes = [UInt8](repeating: 0, count: coded.count / 4 * 3)
        guard EVP_DecodeBlock(&bytes, coded, Int32(coded.count)) >= 0 else { return nil }
        let padding = coded.suffix(2).filter { $0 == UInt8(ascii: "=") }.count
        return Array(bytes.dropLast(padding))
    }
}
