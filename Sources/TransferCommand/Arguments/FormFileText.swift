internal import TransferModel

/// What stands after `@`: `FILE[;type=T][;filename=N][;filename*=utf-8][;headers="N: V"]`, quoted as curl(1) has it.
struct FormFileText {
    private var rest: ArraySlice<UInt8>
    private let name: String
    /// The name as it is shown in messages.
    private let field: String
    private var type: String?
    private var filename: FileName?
    private var headers: [HeaderField] = []
    private var hasEncodedFilename = false

    init(_ text: ArraySlice<UInt8>, field: String) {
        rest = text
        name = field
        self.field = Shown.text(field)
    }

    mutating func read() throws(CommandError) -> FormField {
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
        return FormField(
            name: name, content: .file(try Input(path), type: type, filename: filename), headers: headers,
            hasEncodedFilename: hasEncodedFilename)
    }

    private mutating func parameter() throws(CommandError) {
        if rest.isEmpty { return }
        if take("type=") {
            type = try checkedType(until(UInt8(ascii: ";")))
        } else if take("filename=") {
            filename = try checkedName(word())
        } else if take("filename*=") {
            try checkCharset(until(UInt8(ascii: ";")))
            hasEncodedFilename = true
        } else if take("headers=") {
            headers.append(try checkedHeader(word()))
        } else if let known = type, filename == nil, headers.isEmpty, !hasEncodedFilename {
            // As in curl, what follows a type belongs to it: `type=text/plain;charset=utf-8`.
            type = try checkedType(Array("\(known);".utf8)[...] + until(UInt8(ascii: ";")))
        } else {
            let unknown = Shown.bytes(rest.prefix { $0 != UInt8(ascii: ";") })
            throw .usage(
                "field '\(field)' has ';\(unknown)' after its file: only ;type=, ;filename=, ;filename*=utf-8 and "
                    + ";headers= are known; put a file name with a semicolon into double quotes")
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
        guard let text = String(validating: bytes, as: UTF8.self), let type = MediaType(text) else {
            throw .usage("'\(Shown.bytes(bytes))' is not a media type such as text/plain (field '\(field)')")
        }
        return type.description
    }

    /// RFC 8187 has others, but no reader has to know them.
    private func checkCharset(_ bytes: ArraySlice<UInt8>) throws(CommandError) {
        guard ["utf-8", "utf8"].contains(String(decoding: bytes, as: UTF8.self).lowercased()) else {
            throw .usage(
                "';filename*=' takes utf-8, not '\(Shown.bytes(bytes))' (field '\(field)'): it says that the name is "
                    + "told encoded too")
        }
    }

    private func checkedHeader(_ bytes: ArraySlice<UInt8>) throws(CommandError) -> HeaderField {
        guard let text = String(validating: bytes, as: UTF8.self), let header = HeaderField(ofPart: text)
        else {
            throw .usage(
                "'\(Shown.bytes(bytes))' is not 'Name: value' of a part's header (field '\(field)'); its type and "
                    + "name have ;type= and ;filename=")
        }
        return header
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
