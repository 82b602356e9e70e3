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

    /// nil when `bytes` are not the JSON of a `type`.
    static func decode<Value: Decodable>(_ type: Value.Type, _ bytes: [UInt8]) -> Value? {
        try? JSONDecoder().decode(type, from: Data(bytes))
    }
}
