internal import TransferModel

/// The fields of a form in a job file: `["NAME", "VALUE"]`, `["@NAME", "PATH"]`, or an object with a part's keys.
enum JobFileFields {
    private static let keys = ["name", "value", "file", "type", "filename", "filename*", "headers"]

    /// In order. An object of names and values does too, as long as its order is meant.
    static func read(_ item: JobFileItem) throws(CommandError) -> [FormField] {
        var fields: [FormField] = []
        if case .object = item.node.value {
            for (name, value) in try item.members() {
                for one in try value.elementsOrOne() { fields.append(try field(name, one)) }
            }
        } else {
            for element in try item.elements() { fields.append(try field(element)) }
        }
        guard !fields.isEmpty else { throw item.error("a form needs at least one field") }
        return fields
    }

    private static func field(_ item: JobFileItem) throws(CommandError) -> FormField {
        if case .object = item.node.value { return try part(item) }
        let pair = try item.elements()
        guard pair.count == 2 else { throw item.error("expected a name and a value: [\"NAME\", \"VALUE\"]") }
        return try field(try pair[0].text(), pair[1])
    }

    /// A name that begins with `@` marks its value as a file.
    private static func field(_ name: String, _ value: JobFileItem) throws(CommandError) -> FormField {
        guard name.hasPrefix(FormField.fileMark) else {
            return FormField(name: name, content: .text(try text(value)))
        }
        return FormField(name: String(name.dropFirst()), content: .file(try value.input()))
    }

    /// What stands in the job table, and in memory while it is sent.
    private static let largestText = 16 << 20

    private static func text(_ value: JobFileItem) throws(CommandError) -> String {
        let text = try value.word()
        guard text.utf8.count <= largestText else {
            throw value.error("a text of more than 16 MiB belongs into a file")
        }
        return text
    }

    private static func part(_ item: JobFileItem) throws(CommandError) -> FormField {
        let values = try item.keyed(keys)
        guard let name = values["name"] else { throw item.error("'name' is missing") }
        let type = try values["type"].map { (item) throws(CommandError) in try mediaType(item) }
        let filename = try values["filename"].map { (item) throws(CommandError) in try fileName(item) }
        let hasEncodedName =
            try values["filename*"].map { (item) throws(CommandError) in try isEncoded(item) } ?? false
        let content: FormField.Content
        switch (values["value"], values["file"]) {
        case (let value?, nil):
            if let wrong = values["filename"] ?? values["filename*"] {
                throw wrong.error("only a part with 'file' has a file name")
            }
            content = .text(try text(value), type: type)
        case (nil, let file?): content = .file(try file.input(), type: type, filename: filename)
        case (nil, nil): throw item.error("expected 'value' or 'file' beside the name")
        case (.some, let file?): throw file.error("'value' and 'file' exclude each other")
        }
        return FormField(
            name: try name.text(), content: content, headers: try headers(values["headers"]),
            hasEncodedFilename: hasEncodedName)
    }

    private static func mediaType(_ item: JobFileItem) throws(CommandError) -> String {
        guard let type = MediaType(try item.text()) else {
            throw item.error("expected a media type such as text/plain")
        }
        return type.description
    }

    private static func fileName(_ item: JobFileItem) throws(CommandError) -> FileName {
        guard let name = FileName(try item.text()) else {
            throw item.error("expected the name of a file: 1 to 255 bytes without '/'")
        }
        return name
    }

    private static func isEncoded(_ item: JobFileItem) throws(CommandError) -> Bool {
        guard ["utf-8", "utf8"].contains(try item.text().lowercased()) else {
            throw item.error("expected \"utf-8\": the name is then told encoded too")
        }
        return true
    }

    private static func headers(_ item: JobFileItem?) throws(CommandError) -> [HeaderField] {
        guard let item else { return [] }
        var headers: [HeaderField] = []
        for one in try item.elements() {
            guard let header = HeaderField(ofPart: try one.text()) else {
                throw one.error(
                    "expected 'Name: value' of a part's header; its type and name have keys of their own")
            }
            headers.append(header)
        }
        return headers
    }
}
