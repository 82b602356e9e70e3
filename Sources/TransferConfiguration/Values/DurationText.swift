import TransferModel

/// Durations as a person writes them: `5m30s`, `500ms`, `2d`; units `ms s m h d w`, the larger first, each once.
public enum DurationText {
    /// The longest that is taken: ten years.
    public static let longest: Duration = .seconds(3650 * 86_400)

    private static let units: [(name: String, milliseconds: Int64)] = [
        ("w", 604_800_000), ("d", 86_400_000), ("h", 3_600_000), ("m", 60_000), ("s", 1_000), ("ms", 1),
    ]

    /// nil when `text` is no duration or longer than ``longest``. A bare `0` is one, any other bare number is not.
    public static func read(_ text: some StringProtocol) -> Duration? {
        if text == "0" { return .zero }
        var rest = Substring(text)
        var left = units[...]
        var total: Int64 = 0
        while !rest.isEmpty {
            guard let count = takeNumber(&rest) else { return nil }
            let name = rest.prefix { $0.isASCII && $0.isLetter }
            guard let index = left.firstIndex(where: { $0.name == name }) else { return nil }
            let (product, overflow) = count.multipliedReportingOverflow(by: units[index].milliseconds)
            guard !overflow, product <= longest.wholeMilliseconds else { return nil }
            total += product
            left = units[(index + 1)...]
            rest.removeFirst(name.count)
        }
        guard left.count < units.count, total <= longest.wholeMilliseconds else { return nil }
        return .milliseconds(total)
    }

    /// The shortest text that ``read(_:)`` turns into `duration`, whole milliseconds of it.
    public static func write(_ duration: Duration) -> String {
        var rest = duration.wholeMilliseconds
        guard rest > 0 else { return "0" }
        var text = ""
        // Weeks are read, but days are what people compare with.
        for (name, milliseconds) in units.dropFirst() where rest >= milliseconds {
            text += "\(rest / milliseconds)\(name)"
            rest %= milliseconds
        }
        return text
    }

    private static func takeNumber(_ rest: inout Substring) -> Int64? {
        let digits = rest.prefix { $0.isASCII && $0.isNumber }
        rest.removeFirst(digits.count)
        return digits.utf8.count <= 18 ? Int64(digits) : nil
    }
}
