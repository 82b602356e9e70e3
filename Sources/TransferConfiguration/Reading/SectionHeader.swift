import TransferModel

/// A `[KIND NAME]` line, checked: libinih takes what is broken in it without a word and cuts it at 49 bytes.
struct SectionHeader: Hashable {
    let line: Int
    /// The first word.
    let kind: String
    /// What stands after the first word; empty for `[transferd]`.
    let name: String

    /// The whole text between the brackets, blanks made one.
    var text: String { name.isEmpty ? kind : "\(kind) \(name)" }

    static let longest = 49

    struct Broken: Error {
        let sentence: String
    }

    /// Reads `trimmed`, which starts with `[`.
    init(_ trimmed: String, line: Int) throws(Broken) {
        guard let close = trimmed.firstIndex(of: "]") else {
            throw Broken(sentence: "expected '[KIND NAME]', found a '[' that no ']' closes")
        }
        guard trimmed.index(after: close) == trimmed.endIndex else {
            throw Broken(
                sentence: "expected nothing after the ']' of a section; comments have a line of their own")
        }
        let inside = String(trimmed[trimmed.index(after: trimmed.startIndex)..<close])
        guard inside.utf8.count <= Self.longest else {
            throw Broken(sentence: "expected at most \(Self.longest) bytes between '[' and ']'")
        }
        let text = inside.trimmingBlanks()
        guard !text.isEmpty else {
            throw Broken(sentence: "expected the kind of a section between '[' and ']'")
        }
        let isBlank: (Character) -> Bool = { $0 == " " || $0 == "\t" }
        let end = text.firstIndex(where: isBlank) ?? text.endIndex
        self.line = line
        kind = String(text[..<end])
        name = String(text[end...]).trimmingBlanks()
    }
}
