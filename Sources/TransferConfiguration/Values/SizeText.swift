public import TransferModel

/// Sizes as a person writes them: a number of bytes, or with `K`, `M`, `G`, `T` a number of 1024, 1024² … of them.
public enum SizeText {
    private static let units: [(name: Character, shift: Int64)] = [
        ("T", 40), ("G", 30), ("M", 20), ("K", 10),
    ]

    /// nil when `text` is no size or does not fit a file's size.
    public static func read(_ text: some StringProtocol) -> ByteCount? {
        let unit = units.first { $0.name == text.last }
        let digits = text.dropLast(unit == nil ? 0 : 1)
        guard !digits.isEmpty, digits.allSatisfy({ $0.isASCII && $0.isNumber }), let count = Int64(digits)
        else {
            return nil
        }
        let (size, overflow) = count.multipliedReportingOverflow(by: 1 << (unit?.shift ?? 0))
        return overflow ? nil : ByteCount(rawValue: size)
    }

    /// The shortest text that ``read(_:)`` turns into `size`.
    public static func write(_ size: ByteCount) -> String {
        let unit = units.first { size.rawValue > 0 && size.rawValue % (1 << $0.shift) == 0 }
        guard let unit else { return "\(size)" }
        return "\(size.rawValue >> unit.shift)\(unit.name)"
    }
}
