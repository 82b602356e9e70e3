/// Under what name an upload stands at its server until it is whole.
public enum TemporaryName: Hashable, Sendable, CustomStringConvertible {
    /// Sent under the final name at once: a reader may see half a file, and nothing is kept of an older one.
    case off
    /// A path relative to the target's directory, or to the server's root when it begins with `/`. It has `{id}` in its
    /// last segment, so that no other job writes to it.
    case pattern(NameTemplate)

    /// The name that is used where nothing else is said. The key tells jobs of two machines apart that send to one
    /// directory.
    public static let standard = "." + "{name}.{id}.{key}.part"

    /// Reads `off` or a pattern; throws ``InvalidTemplate``.
    public init(_ text: String) throws(InvalidTemplate) {
        guard text != "off" else {
            self = .off
            return
        }
        let template = try NameTemplate(text)
        let last = text.split(separator: "/", omittingEmptySubsequences: false).last ?? ""
        guard last.contains("{id}") else {
            throw InvalidTemplate(
                "its last name needs {id}, so that each job has a temporary name of its own")
        }
        guard !text.split(separator: "/").contains(where: { $0 == "." || $0 == ".." }) else {
            throw InvalidTemplate("'.' and '..' are no directories for temporary files")
        }
        let meaningless = NameTemplate.Placeholder.ofPaths + [.sha256, .mtime]
        if let wrong = meaningless.first(where: template.contains) {
            throw InvalidTemplate("{\(wrong.rawValue)} has no meaning in it")
        }
        self = .pattern(template)
    }

    public var description: String {
        switch self {
        case .off: "off"
        case .pattern(let template): template.description
        }
    }
}

extension TemporaryName: Codable {
    public init(from decoder: any Decoder) throws {
        self = try TemporaryName(decoder.singleValueContainer().decode(String.self))
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }
}
