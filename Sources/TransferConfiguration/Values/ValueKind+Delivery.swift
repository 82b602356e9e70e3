import TransferModel

extension ValueKind where Value == TemporaryName {
    static var temporaryName: ValueKind {
        ValueKind { text throws(Rejection) in
            do throws(InvalidTemplate) {
                return try TemporaryName(text)
            } catch {
                throw Rejection(
                    expected: "a name such as '{name}.{id}.part', or 'off'", found: text,
                    reason: error.description)
            }
        } write: {
            "\($0)"
        }
    }
}

extension ValueKind where Value == NameTemplate {
    /// A command of a server's own when the file is in place.
    static var command: ValueKind {
        ValueKind { text throws(Rejection) in
            try template(text, "a command such as 'SITE CHMOD 640 {path}'")
        } write: {
            "\($0)"
        }
    }

    /// A command of a server's own before the first byte, when nobody has read the file.
    static var commandBefore: ValueKind {
        ValueKind { text throws(Rejection) in
            let template = try command.read(text)
            guard !template.contains(.sha256) else {
                throw Rejection(
                    expected: "a command such as 'SITE UMASK 027'", found: text,
                    reason: "{sha256} is not known before the file is read")
            }
            return template
        } write: {
            "\($0)"
        }
    }

    /// The name of a file that goes with another one, which it must never be itself.
    static var companionName: ValueKind {
        ValueKind { text throws(Rejection) in
            let expected = "a name such as '{name}.done'"
            let template = try template(text, expected)
            if let reason = objection(to: template, text) {
                throw Rejection(expected: expected, found: text, reason: reason)
            }
            return template
        } write: {
            "\($0)"
        }
    }

    /// A directory of a server for files that have been fetched.
    static var remoteDirectory: ValueKind {
        ValueKind { text throws(Rejection) in
            let expected = "a directory such as 'done/' or 'done/{date:%Y}/'"
            let template = try template(text, expected)
            let unknown = (NameTemplate.Placeholder.ofPaths + [.sha256]).first(where: template.contains)
            let reason: String? =
                if !text.hasSuffix("/") {
                    "it does not end in '/'"
                } else if text.split(separator: "/").contains(where: { $0 == "." || $0 == ".." }) {
                    "'.' and '..' are refused"
                } else if text.allSatisfy({ $0 == "/" }) {
                    "it names nothing"
                } else {
                    unknown.map { "{\($0.rawValue)} has no meaning in it" }
                }
            if let reason { throw Rejection(expected: expected, found: text, reason: reason) }
            return template
        } write: {
            "\($0)"
        }
    }

    private static func template(_ text: String, _ expected: String) throws(Rejection) -> NameTemplate {
        do throws(InvalidTemplate) {
            return try NameTemplate(text)
        } catch {
            throw Rejection(expected: expected, found: text, reason: error.description)
        }
    }

    private static func objection(to template: NameTemplate, _ text: String) -> String? {
        if text.contains("/") { return "it stands beside the file, so there is no '/' in it" }
        if text == "." || text == ".." { return "it is no name of a file" }
        if let wrong = NameTemplate.Placeholder.ofPaths.first(where: template.contains) {
            return "{\(wrong.rawValue)} has no meaning in it"
        }
        return ["{name}", "{stem}.{ext}"].contains(text) ? "it is the name of the file itself" : nil
    }
}

extension ValueKind where Value == Permissions {
    static var permissions: ValueKind {
        ValueKind { text throws(Rejection) in
            guard let permissions = Permissions(text) else {
                throw Rejection(expected: "three or four octal digits such as 640", found: text)
            }
            return permissions
        } write: {
            "\($0)"
        }
    }
}
