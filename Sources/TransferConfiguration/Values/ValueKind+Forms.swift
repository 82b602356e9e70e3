import TransferModel

extension ValueKind where Value == RouteSettings.FormField {
    /// `NAME=VALUE`, where VALUE is a template.
    static var formField: ValueKind {
        ValueKind { text throws(Rejection) in
            guard let equals = text.firstIndex(of: "="), equals != text.startIndex else {
                throw Rejection("expected 'NAME=VALUE', found a text without a name before '='")
            }
            let name = String(text[..<equals]).trimmingBlanks()
            let value = String(text[text.index(after: equals)...])
            if !value.isEmpty {
                do throws(InvalidTemplate) {
                    try FormTemplate.check(value)
                } catch {
                    // A value may be a secret: it is not repeated.
                    throw Rejection(
                        "the value of '\(EscapedText.escape(name.utf8))' is no template: \(error)")
                }
            }
            return RouteSettings.FormField(name: name, value: value)
        } write: {
            "\($0.name)=\($0.value)"
        }
    }
}

extension ValueKind where Value == FileName {
    /// A template that makes the name of a file.
    static var filledFilename: ValueKind {
        ValueKind { text throws(Rejection) in
            let expected = "a name such as {stem}-{date:%Y%m%d}.{ext}"
            try FormTemplate.read(text, expected: expected)
            guard let name = FileName(text) else {
                throw Rejection(expected: expected, found: text, reason: "it is no name of a file")
            }
            return name
        } write: {
            String(decoding: $0.bytes, as: UTF8.self)
        }
    }
}

extension ValueKind where Value == MediaType {
    static var mediaType: ValueKind {
        ValueKind { text throws(Rejection) in
            guard let type = MediaType(text) else {
                throw Rejection(expected: "a media type such as image/jpeg", found: text)
            }
            return type
        } write: {
            "\($0)"
        }
    }
}

/// The templates of forms.
enum FormTemplate {
    /// A path at a server has no meaning in them.
    static func check(_ text: String) throws(InvalidTemplate) {
        let template = try NameTemplate(text)
        if let wrong = NameTemplate.Placeholder.ofPaths.first(where: template.contains) {
            throw InvalidTemplate("{\(wrong.rawValue)} has no meaning in it")
        }
    }

    static func read(_ text: String, expected: String) throws(Rejection) {
        do throws(InvalidTemplate) {
            try check(text)
        } catch {
            throw Rejection(expected: expected, found: text, reason: error.description)
        }
    }
}
