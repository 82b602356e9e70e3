/// How a download is fetched: what a job, its route and its origin wish, and what holds. The job's wishes come first.
public struct FetchWishes: Hashable, Codable, Sendable {
    public var segments: SegmentWish?
    /// Whether nothing is fetched when the server's file is the one that is here already.
    public var isForNewer: Bool?
    /// Whether the file gets the name that the server tells (RFC 6266), made harmless.
    public var takesServerName: Bool?
    /// How long the file has to be, in bytes.
    public var expectedSize: Int?
    /// Which media type a web server has to say it is of: `text/csv`, `image/*`.
    public var expectedType: String?

    public init() {}

    /// These wishes, and `others` where these say nothing.
    public func or(_ others: FetchWishes?) -> FetchWishes {
        guard let others else { return self }
        var merged = self
        merged.segments = segments ?? others.segments
        merged.isForNewer = isForNewer ?? others.isForNewer
        merged.takesServerName = takesServerName ?? others.takesServerName
        merged.expectedSize = expectedSize ?? others.expectedSize
        merged.expectedType = expectedType ?? others.expectedType
        return merged
    }
}
