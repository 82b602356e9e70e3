internal import TransferModel

/// One part of a form as the command line asks for it.
struct FormField: Hashable, Sendable {
    enum Content: Hashable, Sendable {
        /// Data, never interpreted.
        case text(String)
        case file(Input, type: String?, filename: FileName?)
    }

    let name: String
    let content: Content

    init(name: String, content: Content) {
        self.name = name
        self.content = content
    }

    /// Reads the value of `--form-string`: everything after the first `=` is data.
    init(verbatim field: [UInt8]) throws(CommandError) {
        let (name, value) = try FormField.split(field, option: "--form-string")
        self.name = name
        content = .text(try FormField.text(value, of: name))
    }

    /// Reads the value of `-F`: data, unless it starts with `@`.
    init(_ field: [UInt8]) throws(CommandError) {
        let (name, value) = try FormField.split(field, option: "-F")
        self.name = name
        if value.first == UInt8(ascii: "@") {
            var file = FormFileText(value.dropFirst(), field: name)
            content = try file.read()
        } else {
            content = .text(try FormField.text(value, of: name))
        }
    }

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

/// What stands after `@`: `FILE[;type=T][;filename=N]`, quoted as curl(1) has it.
private struct FormFileText {
    private var rest: ArraySlice<UInt8>
    private let field: String
    private var type: String?
    private var filename: FileName?

    init(_ text: ArraySlice<UInt8>, field: String) {
        rest = text
        self.field = Shown.text(field)
    }

    mutating func read() throws(CommandError) -> FormField.Content {
        let path = try word()
        guard !path.isEmpty else { throw .usage("field '\(field)' names no file after '@'") }
        if rest.first == UInt8(ascii: ",") {
            throw .usage(
                "field '\(field)' has a comma in its file name: put the name into double quotes, "
                    + "as in -F '\(field)=@\"a,b\"', or give one -F for each file")
        }
        while rest.first == UInt8(ascii: ";") {
            rest = rest.dropFirst().drop { $0 == 0x20 || $0 == 0x09 }
            try parameter()
        }
        return .file(try Input(path), type: type, filename: filename)
    }

    private mutating func parameter() throws(CommandError) {
        if rest.isEmpty { return }
        if take("type=") {
            type = try checkedType(until(UInt8(ascii: ";")))
        } else if take("filename=") {
            filename = try checkedName(word())
        } else if let known = type, filename == nil {
            // As in curl, what follows a type belongs to it: `type=text/plain;charset=utf-8`.
            type = try checkedType(Array("\(known);".utf8)[...] + until(UInt8(ascii: ";")))
        } else {
            let unknown = Shown.bytes(rest.prefix { $0 != UInt8(ascii: ";") })
            throw .usage(
                "field '\(field)' has ';\(unknown)' after its file: only ;type= and ;filename= are known; "
                    + "put a file name with a semicolon into double quotes")
        }
    }

    /// A name up to `;` or `,`; in double quotes it may hold both, and `\"` and `\\` stand for `"` and `\`.
    private mutating func word() throws(CommandError) -> ArraySlice<UInt8> {
        guard rest.first == UInt8(ascii: "\"") else {
            let plain = rest.prefix { $0 != UInt8(ascii: ";") && $0 != UInt8(ascii: ",") }
            rest = rest.dropFirst(plain.count)
            return plain
        }
        rest = rest.dropFirst()
        var bytes: [UInt8] = []
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "\"") {
                try expectEndOfWord()
                return bytes[...]
            }
            let isEscape = byte == UInt8(ascii: "\\") && (rest.first == 0x22 || rest.first == 0x5c)
            bytes.append(isEscape ? rest.removeFirst() : byte)
        }
        throw .usage("field '\(field)' has a double quote after '@' or '=' that is never closed")
    }

    private mutating func expectEndOfWord() throws(CommandError) {
        rest = rest.drop { $0 == 0x20 || $0 == 0x09 }
        guard let next = rest.first, next != UInt8(ascii: ";"), next != UInt8(ascii: ",") else { return }
        throw .usage("field '\(field)' has '\(Shown.bytes(rest))' after a closing double quote")
    }

    private mutating func until(_ end: UInt8) -> ArraySlice<UInt8> {
        let part = rest.prefix { $0 != end }
        rest = rest.dropFirst(part.count)
        return part
    }

    private mutating func take(_ prefix: String) -> Bool {
        guard rest.starts(with: prefix.utf8) else { return false }
        rest = rest.dropFirst(prefix.utf8.count)
        return true
    }

    private func checkedType(_ bytes: ArraySlice<UInt8>) throws(CommandError) -> String {
        let text = String(validating: bytes, as: UTF8.self)?.trimmingBlanks()
        let media = text?.prefix { $0 != ";" }.split(separator: "/", omittingEmptySubsequences: false)
        guard let text, let media, media.count == 2, media.allSatisfy({ !$0.isEmpty && !$0.contains(" ") }),
            text.utf8.allSatisfy({ (0x20..<0x7f).contains($0) })
        else {
            throw .usage("'\(Shown.bytes(bytes))' is not a media type such as text/plain (field '\(field)')")
        }
        return text
    }

    private func checkedName(_ bytes: ArraySlice<UInt8>) throws(CommandError) -> FileName {
        guard let name = FileName(bytes: Array(bytes)) else {
            throw .usage(
                "'\(Shown.bytes(bytes))' cannot be a file name (field '\(field)'): "
                    + "1 to 255 bytes without '/'")
        }
        return name
    }
}
