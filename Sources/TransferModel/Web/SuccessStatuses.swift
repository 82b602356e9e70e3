/// The statuses of answers that mean success: `2xx`, `200,201,204`, `200-204,303`.
public struct SuccessStatuses: Hashable, Sendable, CustomStringConvertible {
    /// In the order in which they were written.
    public let ranges: [ClosedRange<Int>]
    /// As it was written.
    public let description: String

    /// 2xx (RFC 9110, section 15.3).
    public static let standard = SuccessStatuses(ranges: [200...299], description: "2xx")

    private init(ranges: [ClosedRange<Int>], description: String) {
        self.ranges = ranges
        self.description = description
    }

    /// nil for anything but statuses from 200 to 599, their classes, and ranges of them, with commas between them.
    public init?(_ text: String) {
        var ranges: [ClosedRange<Int>] = []
        for item in text.split(separator: ",", omittingEmptySubsequences: false) {
            guard let range = Self.range(String(item).trimmingBlanks()) else { return nil }
            ranges.append(range)
        }
        self.init(ranges: ranges, description: text)
    }

    private static func range(_ text: String) -> ClosedRange<Int>? {
        if text.utf8.count == 3, text.lowercased().hasSuffix("xx"), let digit = Int(text.prefix(1)),
            (2...5).contains(digit)
        {
            return digit * 100...digit * 100 + 99
        }
        let ends = text.split(separator: "-", omittingEmptySubsequences: false).map { status(String($0)) }
        guard (1...2).contains(ends.count), let first = ends[0], let last = ends[ends.count - 1],
            first <= last
        else { return nil }
        return first...last
    }

    private static func status(_ text: String) -> Int? {
        guard text.utf8.count == 3, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        return Int(text).flatMap { (200...599).contains($0) ? $0 : nil }
    }

    public func contains(_ status: Int) -> Bool { ranges.contains { $0.contains(status) } }
}

extension SuccessStatuses: Codable {
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        guard let statuses = SuccessStatuses(try container.decode(String.self)) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "no statuses")
        }
        self = statuses
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }
}
