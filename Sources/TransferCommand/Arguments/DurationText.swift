/// Durations as a person writes them: `90`, `5m30s`, `2d`.
enum DurationText {
    /// nil for anything else. A number without a unit counts seconds; units: ms, s, m, h, d, w.
    static func read(_ text: some StringProtocol) -> Duration? {
        var rest = Array(text.utf8)[...]
        guard !rest.isEmpty else { return nil }
        var milliseconds: Int64 = 0
        while !rest.isEmpty {
            let digits = rest.prefix { (0x30...0x39).contains($0) }
            guard let number = Int64(String(decoding: digits, as: UTF8.self)) else { return nil }
            rest = rest.dropFirst(digits.count)
            let letters = rest.prefix { !(0x30...0x39).contains($0) }
            rest = rest.dropFirst(letters.count)
            guard let unit = unit(String(decoding: letters, as: UTF8.self)) else { return nil }
            let (product, tooLarge) = number.multipliedReportingOverflow(by: unit)
            let (sum, overflow) = milliseconds.addingReportingOverflow(product)
            guard !tooLarge, !overflow, sum <= longest else { return nil }
            milliseconds = sum
        }
        return .milliseconds(milliseconds)
    }

    /// A thousand years: far from where a time in milliseconds overflows.
    private static let longest: Int64 = 1000 * 366 * 86_400_000

    private static func unit(_ letters: String) -> Int64? {
        switch letters {
        case "ms": 1
        case "", "s": 1000
        case "m": 60_000
        case "h": 3_600_000
        case "d": 86_400_000
        case "w": 7 * 86_400_000
        default: nil
        }
    }
}
