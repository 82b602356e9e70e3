/// Something for the log: a sentence with `key=value` at its end, and who must act.
public struct SpoolNotice: Hashable, Sendable {
    public enum Severity: Int, Sendable {
        /// Someone must act.
        case error = 3
        /// A file was hurt or left alone.
        case warning = 4
        /// A transition.
        case info = 6
    }

    public let severity: Severity
    public let text: String

    public init(_ severity: Severity, _ text: String) {
        self.severity = severity
        self.text = text
    }
}
