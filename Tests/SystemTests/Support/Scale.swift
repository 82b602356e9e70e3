import Glibc
import Testing

/// How large the tests of the whole are: quick by default, in full size with `TRANSFERD_TORTURE=1`.
enum Scale {
    static let isFull = getenv("TRANSFERD_TORTURE") != nil

    static func pick<Value>(quick: Value, full: Value) -> Value { isFull ? full : quick }

    /// Prints a measured figure as a line of its own.
    static func report(_ line: String) {
        print("MEASURED \(isFull ? "full" : "quick"): \(line)")
    }
}

/// All tests with the real programs, one after the other: they measure, kill and fill the machine.
@Suite(.serialized, .timeLimit(.minutes(20))) struct Whole {}

extension [Duration] {
    /// The middle one; zero for none.
    var median: Duration { isEmpty ? .zero : sorted()[count / 2] }
    /// The one that 99 of 100 do not exceed; zero for none.
    var ninetyNinth: Duration { isEmpty ? .zero : sorted()[Swift.min(count - 1, count * 99 / 100)] }
}

extension Duration {
    /// In milliseconds, with two digits after the point.
    var inMilliseconds: String {
        let hundredths = self / .microseconds(10)
        let rest = Int(hundredths) % 100
        return "\(Int(hundredths) / 100).\(rest < 10 ? "0" : "")\(rest) ms"
    }
}
