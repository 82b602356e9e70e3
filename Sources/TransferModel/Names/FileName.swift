/// The name of one file as its directory holds it: bytes, without `/` and NUL, at most 255, not empty, `.` or `..`.
///
/// Two names that a person reads as the same word (NFC and NFD) are two names. Source: path_resolution(7).
public struct FileName: Hashable, Sendable, CustomStringConvertible {
    public let bytes: [UInt8]

    /// nil when `bytes` cannot be the name of a file.
    public init?(bytes: [UInt8]) {
        guard (1...255).contains(bytes.count), bytes != [0x2e], bytes != [0x2e, 0x2e] else { return nil }
        guard !bytes.contains(0), !bytes.contains(UInt8(ascii: "/")) else { return nil }
        self.bytes = bytes
    }

    public init?(_ text: String) { self.init(bytes: Array(text.utf8)) }

    /// Whether the name could break a command, a header or a log line.
    public var hasControlBytes: Bool { bytes.contains(where: EscapedText.isControl) }

    public var description: String { EscapedText.escape(bytes) }
}

extension FileName: Codable {
    public init(from decoder: any Decoder) throws {
        let text = try decoder.singleValueContainer().decode(String.self)
        guard let bytes = EscapedText.unescape(text), let name = FileName(bytes: bytes) else {
            throw DecodingError.dataCorrupted(
                .init(codingPath: decoder.codingPath, debugDescription: "not the name of a file: \(text)"))
        }
        self = name
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }
}
