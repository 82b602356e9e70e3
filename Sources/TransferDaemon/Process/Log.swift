import CLinux
import Glibc
import TransferModel

/// Writes sentences to standard error, one line each, with the syslog priority that the journal reads (`<6>`) unless a
/// person is looking.
///
/// Text that came from outside must be escaped by who brings it (``EscapedText``). Source: sd-daemon(3).
struct Log: Sendable {
    enum Severity: Int, Sendable {
        /// Someone must act.
        case error = 3
        /// A job was hurt, or will be.
        case warning = 4
        /// A transition.
        case information = 6
        case debugging = 7
    }

    var threshold: Int
    private let hasPrefix = isatty(STDERR_FILENO) == 0

    init(threshold: Int) { self.threshold = threshold }

    func callAsFunction(_ severity: Severity, _ sentence: String) {
        write(severity.rawValue, sentence)
    }

    /// For notices of other targets, which carry the number.
    func write(_ severity: Int, _ sentence: String) {
        guard severity <= threshold else { return }
        let line = (hasPrefix ? "<\(severity)>" : "transferd: ") + sentence + "\n"
        var rest = Array(line.utf8)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(STDERR_FILENO, $0.baseAddress, $0.count) }
            guard count > 0 else { return }
            rest = rest.dropFirst(count)
        }
    }
}
