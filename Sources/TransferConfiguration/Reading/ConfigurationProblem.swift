public import TransferModel

/// A line of a configuration or credentials file.
public struct ConfigurationPlace: Hashable, Sendable, CustomStringConvertible {
    public let file: FilePath
    /// From 1 on; 0 when the whole file is meant.
    public let line: Int

    public init(file: FilePath, line: Int) {
        self.file = file
        self.line = line
    }

    public var description: String { line == 0 ? "\(file)" : "\(file):\(line)" }
}

/// One thing that is wrong with a configuration or credentials file.
public struct ConfigurationProblem: Hashable, Sendable, CustomStringConvertible {
    public let place: ConfigurationPlace
    /// As the header has it, such as `route camera`.
    public let section: String?
    public let key: String?
    /// What was expected and found, and the nearest known name; never a secret.
    public let sentence: String

    public init(
        at place: ConfigurationPlace, section: String? = nil, key: String? = nil, _ sentence: String
    ) {
        self.place = place
        self.section = section
        self.key = key
        self.sentence = sentence
    }

    /// `FILE:LINE: key 'x': expected …, found '…'; did you mean 'y'?`
    public var description: String {
        let subject = key.map { "key '\(EscapedText.escape($0.utf8))': " } ?? ""
        return "\(place): \(subject)\(sentence)"
    }
}

/// Everything that is wrong with the configuration, in the order of files and lines; never empty.
public struct ConfigurationProblems: Error, Hashable, Sendable, CustomStringConvertible {
    public let problems: [ConfigurationProblem]

    public init(_ problems: [ConfigurationProblem]) { self.problems = problems }

    /// One problem a line.
    public var description: String { problems.map(\.description).joined(separator: "\n") }
}
