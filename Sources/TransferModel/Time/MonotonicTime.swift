/// A point on the clock that only goes forward, as the time since boot; what waits are measured in.
///
/// Never stored: it means nothing after a restart.
public struct MonotonicTime: RawRepresentable, Hashable, Comparable, Sendable {
    public let rawValue: Duration

    public init(rawValue: Duration) { self.rawValue = rawValue }

    public static func < (left: MonotonicTime, right: MonotonicTime) -> Bool {
        left.rawValue < right.rawValue
    }

    public static func + (time: MonotonicTime, wait: Duration) -> MonotonicTime {
        MonotonicTime(rawValue: time.rawValue + wait)
    }

    public func since(_ earlier: MonotonicTime) -> Duration { rawValue - earlier.rawValue }
}
