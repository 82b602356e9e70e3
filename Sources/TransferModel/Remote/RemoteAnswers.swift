/// A line of the result of `ls`, as JSON: a name in the directory, or a line of the server's that nobody could read.
///
/// Bytes are escaped as ``EscapedText`` says.
public struct ListedName: Hashable, Codable, Sendable {
    public enum Kind: String, CaseIterable, Codable, Sendable {
        case file, directory, link, other
    }

    public struct Entry: Hashable, Codable, Sendable {
        public var name: String
        public var type: Kind
        public var size: Int64?
        /// In UTC, or in the server's own zone where it does not say (RFC 3339).
        public var modified: String?
        /// In octal.
        public var permissions: String?
        public var owner: String?
        public var group: String?
        /// Where a symbolic link leads.
        public var target: String?

        public init(
            name: String, type: Kind, size: Int64? = nil, modified: String? = nil, permissions: String? = nil,
            owner: String? = nil, group: String? = nil, target: String? = nil
        ) {
            self.name = name
            self.type = type
            self.size = size
            self.modified = modified
            self.permissions = permissions
            self.owner = owner
            self.group = group
            self.target = target
        }
    }

    /// nil where the line could not be read.
    public var entry: Entry?
    public var unreadable: String?

    public init(_ entry: Entry) { self.entry = entry }

    public init(unreadable line: String) { unreadable = line }
}

/// A line of the result of `quote`, as JSON: a command and what the server said to it.
public struct QuotedReply: Hashable, Codable, Sendable {
    /// Escaped as ``EscapedText`` says, as is `text`.
    public var command: String
    public var code: Int
    /// What was said, lines between ` / `.
    public var text: String
    public var isRefusal: Bool

    public init(command: String, code: Int, text: String, isRefusal: Bool) {
        self.command = command
        self.code = code
        self.text = text
        self.isRefusal = isRefusal
    }
}

/// A line of the result of `check`, as JSON.
public enum CheckedFact: Hashable, Codable, Sendable {
    /// Something that is known of the server.
    case fact(topic: String, text: String)
    /// The certificate that it showed, as PEM: only where it is not trusted.
    case certificate(String)
    /// What to put into the configuration, as a sentence.
    case advice(String)
}
