internal import TransferModel

/// Reads the elements and texts of a small XML document (XML 1.0 and Namespaces in XML 1.0), in UTF-8.
///
/// Strict where a mistake would change the meaning: tags have to match, entities are the five of XML and numbers, and a
/// document type, which could define others without end, is refused. Attributes but those of namespaces are passed over.
struct XMLReader {
    struct Name: Hashable {
        /// Empty outside of any.
        let space: String
        let local: String
    }

    enum Event: Hashable {
        case start(Name)
        case end(Name)
        /// With entities replaced; a text may come in pieces.
        case text([UInt8])
    }

    /// What is wrong with the document, as a sentence's end.
    struct Mistake: Error, Hashable {
        let text: String

        init(_ text: String) { self.text = text }
    }

    private struct Open {
        let tag: String
        let name: Name
        let spaces: [String: String]
    }

    private var rest: ArraySlice<UInt8>
    private var open: [Open] = []
    /// The end of an element that was empty (`<a/>`).
    private var pending: Event?
    private var isOver = false

    private static let deepest = 64

    init(_ bytes: [UInt8]) {
        rest = bytes.starts(with: [0xef, 0xbb, 0xbf]) ? bytes.dropFirst(3) : bytes[...]
    }

    /// nil at the end of a whole document.
    mutating func next() throws(Mistake) -> Event? {
        if let event = pending {
            pending = nil
            return event
        }
        while let first = rest.first {
            if first != UInt8(ascii: "<") {
                if let text = try text() { return text }
            } else if let event = try markup() {
                return event
            }
        }
        guard open.isEmpty, isOver else { throw Mistake("it is cut") }
        return nil
    }

    private mutating func text() throws(Mistake) -> Event? {
        let piece = rest.prefix { $0 != UInt8(ascii: "<") }
        rest = rest.dropFirst(piece.count)
        guard !open.isEmpty else {
            guard piece.allSatisfy(Self.isBlank) else { throw Mistake("text stands outside of its root") }
            return nil
        }
        return .text(try XMLEntities.replace(piece))
    }

    private mutating func markup() throws(Mistake) -> Event? {
        if rest.starts(with: "<!--".utf8) {
            _ = try take(past: "-->")
        } else if rest.starts(with: "<![CDATA[".utf8) {
            guard !open.isEmpty else { throw Mistake("text stands outside of its root") }
            return .text(Array(try take(past: "]]>").dropFirst(9)))
        } else if rest.starts(with: "<?".utf8) {
            _ = try take(past: "?>")
        } else if rest.starts(with: "<!".utf8) {
            throw Mistake("it has a document type of its own")
        } else if rest.starts(with: "</".utf8) {
            return try end()
        } else {
            return try start()
        }
        return nil
    }

    /// What stands before `mark`, which is passed over as well.
    private mutating func take(past mark: String) throws(Mistake) -> ArraySlice<UInt8> {
        guard let range = rest.firstRange(of: Array(mark.utf8)) else { throw Mistake("it is cut") }
        defer { rest = rest[range.upperBound...] }
        return rest[..<range.lowerBound]
    }

    private mutating func end() throws(Mistake) -> Event {
        let tag = String(decoding: try take(past: ">").dropFirst(2), as: UTF8.self)
        guard let last = open.popLast(), last.tag == String(tag.prefix { !$0.isWhitespace }) else {
            throw Mistake("an element ends that has not begun")
        }
        isOver = open.isEmpty
        return .end(last.name)
    }

    private mutating func start() throws(Mistake) -> Event {
        guard !isOver, open.count < Self.deepest else { throw Mistake("it is too deep or has two roots") }
        var tag = try XMLTag(&rest)
        var spaces = open.last?.spaces ?? ["xml": "http://www.w3.org/XML/1998/namespace"]
        for (name, value) in tag.attributes {
            if name == "xmlns" { spaces[""] = value }
            if name.hasPrefix("xmlns:") { spaces[String(name.dropFirst(6))] = value }
        }
        let name = try Self.resolve(tag.name, spaces)
        if tag.isEmpty {
            pending = .end(name)
            isOver = open.isEmpty
        } else {
            open.append(Open(tag: tag.name, name: name, spaces: spaces))
        }
        tag.attributes = []
        return .start(name)
    }

    private static func resolve(_ name: String, _ spaces: [String: String]) throws(Mistake) -> Name {
        guard let colon = name.firstIndex(of: ":") else { return Name(space: spaces[""] ?? "", local: name) }
        guard let space = spaces[String(name[..<colon])] else { throw Mistake("a prefix has no namespace") }
        return Name(space: space, local: String(name[name.index(after: colon)...]))
    }

    static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0d).contains(byte) }
}
