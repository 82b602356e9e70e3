import Glibc

/// The line that parts the parts of one form: random, so that no content can hold it (RFC 2046, section 5.1.1).
struct FormBoundary: Hashable, Sendable {
    /// 1 to 70 letters, digits and dashes.
    let text: String

    init(_ text: String) { self.text = text }

    /// 128 bits from the system's random source. Every attempt has its own.
    static func random() -> FormBoundary {
        var bytes = [UInt8](repeating: 0, count: 16)
        precondition(getentropy(&bytes, 16) == 0, "the system has random bytes")
        let digits = Array("0123456789abcdef".utf8)
        var text = Array("----------------transferd".utf8)
        for byte in bytes { text += [digits[Int(byte >> 4)], digits[Int(byte & 15)]] }
        return FormBoundary(String(decoding: text, as: UTF8.self))
    }
}
