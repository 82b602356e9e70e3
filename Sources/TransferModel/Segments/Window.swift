/// Bytes of a file that are still to come: `offset ..< limit`.
public struct Window: Hashable, Codable, Sendable {
    public let offset: Int64
    public let limit: Int64

    public init(_ range: Range<Int64>) {
        offset = range.lowerBound
        limit = range.upperBound
    }

    public var count: Int64 { limit - offset }
}
