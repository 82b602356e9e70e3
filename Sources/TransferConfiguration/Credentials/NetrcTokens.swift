import TransferModel

/// The words of a netrc-format file with their lines: blanks and newlines part them, double quotes hold them together.
struct NetrcTokens {
    struct Word {
        let text: String
        let line: Int
    }

    private let bytes: [UInt8]
    private var index = 0
    private(set) var line = 1

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// The next word where a keyword is expected: what starts with `#` is a comment up to the end of its line.
    mutating func nextKeyword() throws(NetrcProblem) -> Word? {
        skipBlanks()
        while index < bytes.count, bytes[index] == UInt8(ascii: "#") {
            skipLine()
            skipBlanks()
        }
        return try next()
    }

    /// The next word where a value is expected; it may start with `#`.
    mutating func next() throws(NetrcProblem) -> Word? {
        skipBlanks()
        guard index < bytes.count else { return nil }
        let start = line
        let word = bytes[index] == UInt8(ascii: "\"") ? try quoted() : plain()
        guard let text = String(validating: word, as: UTF8.self) else {
            throw NetrcProblem(line: start, sentence: "expected UTF-8 text")
        }
        guard !word.contains(where: EscapedText.isControl) else {
            throw NetrcProblem(line: start, sentence: "expected a word without control bytes")
        }
        return Word(text: text, line: start)
    }

    /// Passes over the rest of the line and all lines up to an empty one: the body of a `macdef`.
    mutating func skipMacro() {
        skipLine()
        while index < bytes.count {
            let isEnd = bytes[index] == UInt8(ascii: "\n")
            skipLine()
            if isEnd { return }
        }
    }

    private mutating func skipBlanks() {
        while index < bytes.count, Self.isBlank(bytes[index]) { advance() }
    }

    private mutating func skipLine() {
        while index < bytes.count, bytes[index] != UInt8(ascii: "\n") { index += 1 }
        if index < bytes.count { advance() }
    }

    private mutating func advance() {
        if bytes[index] == UInt8(ascii: "\n") { line += 1 }
        index += 1
    }

    private mutating func plain() -> [UInt8] {
        let word = bytes[index...].prefix { !Self.isBlank($0) }
        index = word.endIndex
        return Array(word)
    }

    /// `\"` and `\\` stand for a quote and a backslash, as in curl's netrc files.
    private mutating func quoted() throws(NetrcProblem) -> [UInt8] {
        let start = line
        var word: [UInt8] = []
        index += 1
        while index < bytes.count, bytes[index] != UInt8(ascii: "\""), bytes[index] != UInt8(ascii: "\n") {
            if bytes[index] == UInt8(ascii: "\\"), index + 1 < bytes.count { index += 1 }
            word.append(bytes[index])
            index += 1
        }
        guard index < bytes.count, bytes[index] == UInt8(ascii: "\"") else {
            throw NetrcProblem(
                line: start, sentence: "expected a '\"' that closes the quotes in the same line")
        }
        index += 1
        guard index == bytes.count || Self.isBlank(bytes[index]) else {
            throw NetrcProblem(line: start, sentence: "expected a blank after the closing '\"'")
        }
        return word
    }

    private static func isBlank(_ byte: UInt8) -> Bool {
        byte == 0x20 || (0x09...0x0d).contains(byte)
    }
}

/// What is wrong with a line of a credentials file; never repeats a word of it but a host's name.
struct NetrcProblem: Error {
    let line: Int
    let sentence: String
}
