internal import FoundationEssentials

/// JSON as it stands in the table: keys sorted, so that equal values have equal texts.
enum JSONText {
    static func encode(_ value: some Encodable) throws(SQLiteError) -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        do {
            return String(decoding: try encoder.encode(value), as: UTF8.self)
        } catch {
            throw .malformed("a \(type(of: value)) cannot be written as JSON: \(error)")
        }
    }

    /// `bytes` as text; nil when any of them needs an escape in JSON or in ``EscapedText``, or is not ASCII.
    static func plain(_ bytes: [UInt8]) -> String? {
        let isPlain = bytes.allSatisfy { byte in
            (0x20...0x7e).contains(byte) && byte != UInt8(ascii: "\"") && byte != UInt8(ascii: "\\")
        }
        return isPlain ? String(decoding: bytes, as: UTF8.self) : nil
    }

    /// `text` with its quotation marks escaped, as entity tags have them; nil when anything else needs an escape, or is
    /// not ASCII.
    static func withQuotes(_ text: String) -> String? {
        let parts = text.utf8.split(separator: UInt8(ascii: "\""), omittingEmptySubsequences: false)
            .compactMap { plain(Array($0)) }
        return parts.count == text.utf8.count { $0 == UInt8(ascii: "\"") } + 1
            ? parts.joined(separator: "\\\"") : nil
    }

    /// nil when `bytes` are not the JSON of a `type`.
    static func decode<Value: Decodable>(_ type: Value.Type, _ bytes: [UInt8]) -> Value? {
        try? JSONDecoder().decode(type, from: Data(bytes))
    }
}
