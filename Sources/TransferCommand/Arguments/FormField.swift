internal import TransferModel

/// One part of a form as the command line asks for it.
struct FormField: Hashable, Sendable {
    enum Content: Hashable, Sendable {
        /// Data, never interpreted.
        case text(String, type: String? = nil)
        case file(Input, type: String? = nil, filename: FileName? = nil)
    }

    let name: String
    let content: Content
    /// Of the part's own head.
    let headers: [HeaderField]
    /// Whether the file's name is told as `filename*` too.
    let hasEncodedFilename: Bool

    init(
        name: String, content: Content, headers: [HeaderField] = [], hasEncodedFilename: Bool = false
    ) {
        self.name = name
        self.content = content
        self.headers = headers
        self.hasEncodedFilename = hasEncodedFilename
    }

    /// Reads the value of `--form-string`: everything after the first `=` is data.
    init(verbatim field: [UInt8]) throws(CommandError) {
        let (name, value) = try FormField.split(field, option: "--form-string")
        self.init(name: name, content: .text(try FormField.text(value, of: name)))
    }

    /// Reads the value of `-F`: data, unless it starts with `@`, or the name does.
    init(_ field: [UInt8]) throws(CommandError) {
        let (name, value) = try FormField.split(field, option: "-F")
        let isMarked = name.hasPrefix(FormField.fileMark)
        guard isMarked || value.first == UInt8(ascii: "@") else {
            self.init(name: name, content: .text(try FormField.text(value, of: name)))
            return
        }
        let bare = isMarked ? String(name.dropFirst()) : name
        var file = FormFileText(isMarked ? value : value.dropFirst(), field: bare)
        self = try file.read()
    }

    /// Before a field's name: its value is the path of a file.
    static let fileMark = "@"

    private static func split(
        _ field: [UInt8], option: String
    ) throws(CommandError) -> (name: String, value: ArraySlice<UInt8>) {
        guard let equals = field.firstIndex(of: UInt8(ascii: "=")) else {
            throw .usage("\(option) '\(Shown.bytes(field))' has no '=': write NAME=VALUE")
        }
        guard let name = String(validating: field[..<equals], as: UTF8.self) else {
            throw .usage("the field name '\(Shown.bytes(field[..<equals]))' is not UTF-8")
        }
        return (name, field[field.index(after: equals)...])
    }

    private static func text(_ value: ArraySlice<UInt8>, of name: String) throws(CommandError) -> String {
        guard let text = String(validating: value, as: UTF8.self) else {
            throw .usage(
                "the value of field '\(Shown.text(name))' is not UTF-8; put it into a file and write "
                    + "\(Shown.text(name))=@FILE")
        }
        return text
    }
}
