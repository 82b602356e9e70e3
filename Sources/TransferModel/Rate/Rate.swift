/// Bytes a second that may move at most.
public struct Rate: Hashable, Codable, Sendable, CustomStringConvertible {
    public let bytesPerSecond: Int64

    /// nil below one byte a second.
    public init?(bytesPerSecond: Int64) {
        guard bytesPerSecond > 0 else { return nil }
        self.bytesPerSecond = bytesPerSecond
    }

    private static let units: [(letter: Character, factor: Int64)] = [
        ("G", 1 << 30), ("M", 1 << 20), ("K", 1 << 10),
    ]

    /// Reads a whole number of bytes, or of 1024 (K), 1024² (M), 1024³ (G) of them.
    public init?(_ text: String) {
        let unit = Self.units.first { $0.letter == text.uppercased().last }
        let digits = unit == nil ? text[...] : text.dropLast()
        guard !digits.isEmpty, digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
            let number = Int64(digits)
        else { return nil }
        let (count, isTooLarge) = number.multipliedReportingOverflow(by: unit?.factor ?? 1)
        guard !isTooLarge else { return nil }
        self.init(bytesPerSecond: count)
    }

    public var description: String {
        for (letter, factor) in Self.units where bytesPerSecond.isMultiple(of: factor) {
            return "\(bytesPerSecond / factor)\(letter)"
        }
        return "\(bytesPerSecond)"
    }
}
