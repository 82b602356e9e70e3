/// One thing that a check of the configuration against this machine found.
public struct Finding: Error, Hashable, Sendable, CustomStringConvertible {
    public enum Severity: String, CaseIterable, Sendable {
        /// The daemon can't do its work: nothing starts.
        case error
        /// It will work, but a person should know.
        case warning
    }

    public let severity: Severity
    /// Names the key, the path and what to do.
    public let sentence: String

    public init(_ severity: Severity, _ sentence: String) {
        self.severity = severity
        self.sentence = sentence
    }

    public var isError: Bool { severity == .error }

    /// `error: …` or `warning: …`
    public var description: String { "\(severity.rawValue): \(sentence)" }
}
