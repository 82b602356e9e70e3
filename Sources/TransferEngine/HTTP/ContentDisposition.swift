internal import TransferModel

/// The name that an answer tells for its file (RFC 6266).
struct ContentDisposition: Hashable {
    /// As it was told, decoded; nothing of it may be believed yet.
    let name: [UInt8]

    /// nil where no name is told.
    init?(_ field: String) {
        var rest = Array(field.utf8)[...]
        // The kind of disposition; some servers leave it out.
        let kind = rest.prefix { $0 != UInt8(ascii: ";") }
        if !kind.contains(UInt8(ascii: "=")) { rest = rest[kind.endIndex...].dropFirst() }
        var plain: [UInt8]?
        var extended: [UInt8]?
        while !rest.isEmpty {
            guard let (key, value) = Self.parameter(&rest) else { break }
            if key == "filename", plain == nil { plain = value }
            if key == "filename*", extended == nil { extended = Self.decoded(value) }
        }
        guard let name = extended ?? plain else { return nil }
        self.name = name
    }

    /// Takes `KEY=VALUE` and the semicolon behind it.
    private static func parameter(_ rest: inout ArraySlice<UInt8>) -> (key: String, value: [UInt8])? {
        let head = rest.prefix { $0 != UInt8(ascii: "=") && $0 != UInt8(ascii: ";") }
        rest = rest[head.endIndex...]
        let key = String(decoding: head, as: UTF8.self).trimmingBlanks().lowercased()
        guard rest.first == UInt8(ascii: "=") else {
            guard !rest.isEmpty else { return nil }
            rest = rest.dropFirst()
            return (key, [])
        }
        rest = rest.dropFirst().drop { $0 == 0x20 || $0 == 0x09 }
        let value = rest.first == UInt8(ascii: "\"") ? quoted(&rest) : []
        let tail = rest.prefix { $0 != UInt8(ascii: ";") }
        rest = rest[tail.endIndex...].dropFirst()
        guard value.isEmpty else { return (key, value) }
        return (key, Array(String(decoding: tail, as: UTF8.self).trimmingBlanks().utf8))
    }

    /// Only what has to be escaped is taken for an escape: a backslash before anything else is one of a Windows path.
    private static func quoted(_ rest: inout ArraySlice<UInt8>) -> [UInt8] {
        var value: [UInt8] = []
        rest = rest.dropFirst()
        while let byte = rest.popFirst(), byte != UInt8(ascii: "\"") {
            if byte == UInt8(ascii: "\\"), let next = rest.first, next == byte || next == UInt8(ascii: "\"") {
                rest = rest.dropFirst()
                value.append(next)
            } else {
                value.append(byte)
            }
        }
        return value
    }

    /// `UTF-8'en'a%20b` (RFC 8187, section 3.2); nil for another charset, or for bytes that are none of it.
    private static func decoded(_ value: [UInt8]) -> [UInt8]? {
        let parts = value.split(separator: UInt8(ascii: "'"), maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count == 3 else { return nil }
        let bytes = PercentEncoding.decode(parts[2])
        switch String(decoding: parts[0], as: UTF8.self).lowercased() {
        case "utf-8": return String(validating: bytes, as: UTF8.self) == nil ? nil : bytes
        case "iso-8859-1": return bytes.flatMap { Array(String(Unicode.Scalar($0)).utf8) }
        case _: return nil
        }
    }
}
