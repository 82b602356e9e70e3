/// When to look again after a wake-up that found the table unchanged: after 1, 5, 25 and 100 ms, then no more.
///
/// On a disk the log of the table is closed up to tens of milliseconds before what it holds can be seen.
public struct WakeRetries: Hashable, Sendable {
    public static let waits: [Duration] = [
        .milliseconds(1), .milliseconds(5), .milliseconds(25), .milliseconds(100),
    ]

    private var done = 0

    public init() {}

    /// How long to wait before the next look; nil: it was a false alarm.
    public mutating func next() -> Duration? {
        guard done < Self.waits.count else { return nil }
        defer { done += 1 }
        return Self.waits[done]
    }
}
