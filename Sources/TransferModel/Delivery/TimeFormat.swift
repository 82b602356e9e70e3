/// How a placeholder writes a moment: a format of strftime(3) that gives digits, words and what stands between them.
public struct TimeFormat: Hashable, Sendable, CustomStringConvertible {
    public let description: String

    /// nil for nothing, for a lone `%`, and for a conversion that strftime(3) has not or that writes a control byte.
    public init?(_ text: String) {
        var rest = Array(text.utf8)[...]
        guard !rest.isEmpty else { return nil }
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else { continue }
            guard let conversion = rest.popFirst(), Self.conversions.contains(conversion) else { return nil }
        }
        description = text
    }

    private init(checked text: String) { description = text }

    /// `2031-05-28`
    public static let day = TimeFormat(checked: "%Y-%m-%d")

    private static let conversions = Set("aAbBCdDeFgGHIjklmMpRsSTuUVwWyYzZ%".utf8)
}
