/// A value of JSON as it stood in a text, with the line where it began.
struct JSONNode: Hashable, Sendable {
    indirect enum Value: Hashable, Sendable {
        case null
        case boolean(Bool)
        /// As it was written.
        case number(String)
        case text(String)
        case array([JSONNode])
        /// In order; names may repeat.
        case object([Member])
    }

    struct Member: Hashable, Sendable {
        let name: String
        let node: JSONNode
    }

    let line: Int
    let value: Value
}

/// What is wrong with a text of JSON, and in which line.
struct InvalidJSON: Error, Equatable {
    let line: Int
    let sentence: String
}

/// Reads JSON (RFC 8259) that was written by hand: nothing beyond the grammar is taken, and what is wrong has its line.
struct JSONText {
    private let bytes: [UInt8]
    private var index = 0
    private var line = 1
    private static let deepest = 64

    /// The values that stand in `bytes` one after the other, parted by white space alone.
    static func values(_ bytes: [UInt8]) throws(InvalidJSON) -> [JSONNode] {
        var text = JSONText(bytes)
        var values: [JSONNode] = []
        text.skipBlanks()
        while text.index < bytes.count {
            values.append(try text.value(depth: 0))
            text.skipBlanks()
        }
        return values
    }

    private init(_ bytes: [UInt8]) {
        self.bytes = bytes
        if bytes.starts(with: [0xef, 0xbb, 0xbf]) { index = 3 }
    }

    private mutating func value(depth: Int) throws(InvalidJSON) -> JSONNode {
        guard depth < Self.deepest else { throw wrong("it is nested too deeply") }
        let start = line
        switch peek {
        case UInt8(ascii: "{"): return JSONNode(line: start, value: .object(try members(depth)))
        case UInt8(ascii: "["): return JSONNode(line: start, value: .array(try elements(depth)))
        case UInt8(ascii: "\""): return JSONNode(line: start, value: .text(try string()))
        case nil: throw wrong("the text ends where a value is expected")
        case .some: return JSONNode(line: start, value: try word())
        }
    }

    private mutating func members(_ depth: Int) throws(InvalidJSON) -> [JSONNode.Member] {
        var members: [JSONNode.Member] = []
        try list(until: UInt8(ascii: "}")) { (text) throws(InvalidJSON) in
            guard text.peek == UInt8(ascii: "\"") else {
                throw text.wrong("expected a name in double quotes")
            }
            let name = try text.string()
            text.skipBlanks()
            guard text.take(UInt8(ascii: ":")) else { throw text.wrong("expected ':' after \"\(name)\"") }
            text.skipBlanks()
            members.append(JSONNode.Member(name: name, node: try text.value(depth: depth + 1)))
        }
        return members
    }

    private mutating func elements(_ depth: Int) throws(InvalidJSON) -> [JSONNode] {
        var elements: [JSONNode] = []
        try list(until: UInt8(ascii: "]")) { (text) throws(InvalidJSON) in
            elements.append(try text.value(depth: depth + 1))
        }
        return elements
    }

    /// From the opening bracket to the closing one.
    private mutating func list(
        until end: UInt8, _ item: (inout JSONText) throws(InvalidJSON) -> Void
    ) throws(InvalidJSON) {
        index += 1
        skipBlanks()
        if take(end) { return }
        while true {
            try item(&self)
            skipBlanks()
            if take(end) { return }
            guard take(UInt8(ascii: ",")) else {
                throw wrong("expected ',' or '\(Character(UnicodeScalar(end)))'")
            }
            skipBlanks()
            if peek == end { throw wrong("a ',' stands before '\(Character(UnicodeScalar(end)))'") }
        }
    }

    /// true, false, null or a number.
    private mutating func word() throws(InvalidJSON) -> JSONNode.Value {
        let ends = Set(",:{}[]\" \t\r\n".utf8)
        let word = bytes[index...].prefix { !ends.contains($0) }
        let text = String(decoding: word, as: UTF8.self)
        let value: JSONNode.Value
        switch text {
        case "true": value = .boolean(true)
        case "false": value = .boolean(false)
        case "null": value = .null
        default:
            guard Self.isNumber(word) else {
                throw wrong(
                    "'\(Shown.text(String(text.prefix(40))))' is no value of JSON; a text has double quotes")
            }
            value = .number(text)
        }
        index += word.count
        return value
    }

    /// RFC 8259, section 6.
    private static func isNumber(_ word: ArraySlice<UInt8>) -> Bool {
        var rest = word
        func digits() -> Int {
            let count = rest.prefix { (0x30...0x39).contains($0) }.count
            rest = rest.dropFirst(count)
            return count
        }
        if rest.first == UInt8(ascii: "-") { rest = rest.dropFirst() }
        let startsWithZero = rest.first == UInt8(ascii: "0")
        let whole = digits()
        guard whole > 0, !startsWithZero || whole == 1 else { return false }
        if rest.first == UInt8(ascii: ".") {
            rest = rest.dropFirst()
            guard digits() > 0 else { return false }
        }
        if let sign = rest.first, sign | 0x20 == UInt8(ascii: "e") {
            rest = rest.dropFirst()
            if let sign = rest.first, sign == UInt8(ascii: "+") || sign == UInt8(ascii: "-") {
                rest = rest.dropFirst()
            }
            guard digits() > 0 else { return false }
        }
        return rest.isEmpty
    }

    private mutating func string() throws(InvalidJSON) -> String {
        index += 1
        var scalars: [UInt8] = []
        while let byte = peek {
            index += 1
            switch byte {
            case UInt8(ascii: "\""):
                guard let text = String(validating: scalars, as: UTF8.self) else {
                    throw wrong("a text is not UTF-8")
                }
                return text
            case UInt8(ascii: "\\"): scalars += try escaped()
            case 0..<0x20:
                throw wrong("a text has a line break or another control character in it: write \\n")
            default: scalars.append(byte)
            }
        }
        throw wrong("a text has no closing double quote")
    }

    /// What follows a backslash, as UTF-8.
    private mutating func escaped() throws(InvalidJSON) -> [UInt8] {
        let plain: [UInt8: UInt8] = [
            0x22: 0x22, 0x5c: 0x5c, 0x2f: 0x2f, 0x62: 0x08, 0x66: 0x0c, 0x6e: 0x0a, 0x72: 0x0d, 0x74: 0x09,
        ]
        guard let byte = peek else { throw wrong("a text has no closing double quote") }
        index += 1
        if let plain = plain[byte] { return [plain] }
        guard byte == UInt8(ascii: "u") else {
            throw wrong("a backslash stands before none of \" \\ / b f n r t u")
        }
        var code = UInt32(try hexadecimal())
        if (0xd800...0xdbff).contains(code) {
            guard take(UInt8(ascii: "\\")), take(UInt8(ascii: "u")) else { throw wrong("half a \\u pair") }
            let low = UInt32(try hexadecimal())
            guard (0xdc00...0xdfff).contains(low) else { throw wrong("half a \\u pair") }
            code = 0x1_0000 + (code - 0xd800) << 10 + (low - 0xdc00)
        }
        guard let scalar = UnicodeScalar(code) else { throw wrong("half a \\u pair") }
        return Array(String(scalar).utf8)
    }

    private mutating func hexadecimal() throws(InvalidJSON) -> UInt16 {
        let digits = bytes[index...].prefix(4)
        let isHexadecimal = digits.allSatisfy { Character(UnicodeScalar($0)).isHexDigit }
        guard digits.count == 4, isHexadecimal,
            let code = UInt16(String(decoding: digits, as: UTF8.self), radix: 16)
        else { throw wrong("expected four hexadecimal digits after \\u") }
        index += 4
        return code
    }

    // MARK: - Bytes

    private var peek: UInt8? { index < bytes.count ? bytes[index] : nil }

    private mutating func take(_ byte: UInt8) -> Bool {
        guard peek == byte else { return false }
        index += 1
        return true
    }

    private mutating func skipBlanks() {
        while let byte = peek, byte == 0x20 || (0x09...0x0a).contains(byte) || byte == 0x0d {
            if byte == 0x0a { line += 1 }
            index += 1
        }
    }

    private func wrong(_ sentence: String) -> InvalidJSON { InvalidJSON(line: line, sentence: sentence) }
}
