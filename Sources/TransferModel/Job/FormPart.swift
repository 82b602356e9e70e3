/// One part of a form (RFC 7578, section 4.2).
public struct FormPart: Hashable, Codable, Sendable {
    public enum Content: Hashable, Codable, Sendable {
        /// Data, never interpreted; `type` nil: the part names none, as a browser's text fields do.
        case text(String, type: String? = nil)
        /// Streamed; `type` nil: guessed from the name; `filename` nil: the source's name.
        case file(SourceFile, type: String? = nil, filename: FileName? = nil)
    }

    public let name: String
    public let content: Content
    /// Fields of the part's own head besides those that transferd writes; nil: none.
    public let headers: [HeaderField]?
    /// Whether the file's name is told as `filename*` too (RFC 8187); nil: no, as browsers do.
    public let hasEncodedFilename: Bool?

    public init(
        name: String, content: Content, headers: [HeaderField] = [], hasEncodedFilename: Bool = false
    ) {
        self.name = name
        self.content = content
        self.headers = headers.isEmpty ? nil : headers
        self.hasEncodedFilename = hasEncodedFilename ? true : nil
    }

    public var file: SourceFile? {
        switch content {
        case .text: nil
        case .file(let file, _, _): file
        }
    }

    /// The part with its file in another place, under the name that it had.
    public func moved(_ file: SourceFile, to place: SourceFile) -> FormPart {
        guard case .file(file, let type, let filename) = content else { return self }
        let moved = SourceFile(root: place.root, path: place.path, name: file.name)
        return FormPart(
            name: name, content: .file(moved, type: type, filename: filename), headers: headers ?? [],
            hasEncodedFilename: hasEncodedFilename ?? false)
    }
}

/// A media type as a part's head has it: `text/plain;charset=utf-8` (RFC 9110, section 8.3.1).
public struct MediaType: Hashable, Sendable, CustomStringConvertible {
    public let description: String

    /// nil for anything but `TYPE/SUBTYPE`, with parameters or without, in visible ASCII and blanks.
    public init?(_ text: some StringProtocol) {
        let text = String(text).trimmingBlanks()
        let media = String(text.prefix { $0 != ";" }).trimmingBlanks()
        let halves = media.split(separator: "/", omittingEmptySubsequences: false)
        guard halves.count == 2, halves.allSatisfy({ HeaderField.isToken(String($0)) }) else { return nil }
        guard text.utf8.allSatisfy({ (0x20..<0x7f).contains($0) }) else { return nil }
        description = text
    }
}
