/// A point on the wall clock, in milliseconds since 1970-01-01 00:00 UTC; what the job table stores.
///
/// Never used to wait: waits run on the monotonic clock (``MonotonicTime``).
public struct Timestamp: RawRepresentable, Hashable, Comparable, Codable, Sendable {
    public let rawValue: Int64

    public init(rawValue: Int64) { self.rawValue = rawValue }

    public static func < (left: Timestamp, right: Timestamp) -> Bool { left.rawValue < right.rawValue }

    public static func + (time: Timestamp, wait: Duration) -> Timestamp {
        Timestamp(rawValue: time.rawValue &+ wait.wholeMilliseconds)
    }

    /// How long after `earlier` this is; negative when it is before.
    public func since(_ earlier: Timestamp) -> Duration {
        .milliseconds(rawValue - earlier.rawValue)
    }
}
