/// A text with placeholders that each job fills in: `{name}.done`, `SITE CHMOD 640 {path}`, `{date:%Y%m%d}`.
///
/// The text is bytes to the end: what stands for a placeholder is put in as it is. `{{` and `}}` are braces.
public struct NameTemplate: Hashable, Sendable, CustomStringConvertible {
    /// What a placeholder stands for.
    public enum Placeholder: String, CaseIterable, Sendable {
        /// The file's final name at the server.
        case name
        /// ``name`` without the extension, and the extension without its dot.
        case stem, ext
        /// The final path at the server, and that of its directory.
        case path, directory
        /// The temporary path at the server, while there is one; else the final one.
        case temporary
        /// The job's number, and the start of its key, which no other machine's jobs have.
        case id, key
        case route
        /// Bytes in decimal digits.
        case size
        /// Of the content, in lower case hexadecimal.
        case sha256
        /// When the file was modified last: seconds since 1970, or as its format says.
        case mtime
        /// When the job was created, the same in all attempts: `2031-05-28`, or as its format says.
        case date

        /// Those of a file at a file server alone.
        public static let ofPaths: [Placeholder] = [.path, .directory, .temporary]
    }

    public enum Piece: Hashable, Sendable {
        case text([UInt8])
        case placeholder(Placeholder, format: TimeFormat?)
    }

    public let pieces: [Piece]
    /// As it was written.
    public let description: String

    /// Throws ``InvalidTemplate`` for an unknown placeholder, a lone brace, a control byte, or nothing at all.
    public init(_ text: String) throws(InvalidTemplate) {
        guard !text.isEmpty else { throw InvalidTemplate("it is empty") }
        guard !text.utf8.contains(where: EscapedText.isControl) else {
            throw InvalidTemplate("it has a control byte in it")
        }
        description = text
        pieces = try Self.read(Array(text.utf8))
    }

    private static let open = UInt8(ascii: "{")
    private static let close = UInt8(ascii: "}")

    private static func read(_ bytes: [UInt8]) throws(InvalidTemplate) -> [Piece] {
        var pieces: [Piece] = []
        var plain: [UInt8] = []
        var rest = bytes[...]
        while let byte = rest.popFirst() {
            guard byte == open || byte == close else {
                plain.append(byte)
                continue
            }
            if rest.first == byte {
                rest.removeFirst()
                plain.append(byte)
                continue
            }
            guard byte == open, let end = rest.firstIndex(of: close) else {
                throw InvalidTemplate("a brace stands alone in it; two of them are one that is meant")
            }
            if !plain.isEmpty { pieces.append(.text(plain)) }
            plain = []
            pieces.append(try placeholder(rest[..<end]))
            rest = rest[rest.index(after: end)...]
        }
        if !plain.isEmpty { pieces.append(.text(plain)) }
        return pieces
    }

    private static func placeholder(_ bytes: ArraySlice<UInt8>) throws(InvalidTemplate) -> Piece {
        let word = String(decoding: bytes, as: UTF8.self)
        let name = String(word.prefix { $0 != ":" })
        guard let placeholder = Placeholder(rawValue: name) else {
            let known = Placeholder.allCases.map { "{\($0.rawValue)}" }.joined(separator: " ")
            throw InvalidTemplate("{\(word)} is none of \(known); '{{' and '}}' are braces that are meant")
        }
        guard name != word else { return .placeholder(placeholder, format: nil) }
        guard placeholder == .date || placeholder == .mtime else {
            throw InvalidTemplate("{\(name)} has no format; only {date} and {mtime} have one")
        }
        guard let format = TimeFormat(String(word.dropFirst(name.count + 1))) else {
            throw InvalidTemplate(
                "{\(word)} has a format that is none of strftime's, such as {date:%Y%m%d} or {date:%H:%M}")
        }
        return .placeholder(placeholder, format: format)
    }

    public func contains(_ placeholder: Placeholder) -> Bool {
        pieces.contains { piece in
            switch piece {
            case .text: false
            case .placeholder(let found, _): found == placeholder
            }
        }
    }

    /// The text with every placeholder replaced by what `value` says of it.
    public func filled(_ value: (Placeholder, TimeFormat?) -> [UInt8]) -> [UInt8] {
        pieces.flatMap { piece in
            switch piece {
            case .text(let bytes): bytes
            case .placeholder(let placeholder, let format): value(placeholder, format)
            }
        }
    }
}

extension NameTemplate: Codable {
    public init(from decoder: any Decoder) throws {
        self = try NameTemplate(decoder.singleValueContainer().decode(String.self))
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }
}

/// Why a text is no template, as the end of a sentence.
public struct InvalidTemplate: Error, Equatable, CustomStringConvertible {
    public let description: String

    public init(_ description: String) { self.description = description }
}
