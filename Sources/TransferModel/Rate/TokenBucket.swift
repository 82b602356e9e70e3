/// Keeps a rate: bytes are moved on credit, and nothing more moves before the debt is paid.
///
/// A value; time is a parameter. On credit, since whoever moves bytes does not choose how many there are at a time.
public struct TokenBucket: Hashable, Sendable {
    /// nil: as many as there are.
    public var rate: Rate? {
        // What was owed at another rate would be paid at a wrong one.
        didSet { if rate != oldValue { balance = 0 } }
    }
    /// Bytes that may move now; below zero: owed.
    private var balance: Double = 0
    private var time = MonotonicTime(rawValue: .zero)

    /// Seconds' worth of bytes that may move at once after a rest.
    private static let longestRest = 0.1

    public init(rate: Rate? = nil) { self.rate = rate }

    /// How long nothing may move; zero: now something may.
    public mutating func wait(now: MonotonicTime) -> Duration {
        guard let rate else { return .zero }
        refill(now, Double(rate.bytesPerSecond))
        guard balance < 0 else { return .zero }
        return .milliseconds(Int64((-balance / Double(rate.bytesPerSecond) * 1000).rounded(.up)))
    }

    /// So many bytes moved.
    public mutating func take(_ count: Int, now: MonotonicTime) {
        guard let rate else { return }
        refill(now, Double(rate.bytesPerSecond))
        balance -= Double(count)
    }

    private mutating func refill(_ now: MonotonicTime, _ rate: Double) {
        let passed = Double(max(0, now.since(time).wholeMicroseconds)) / 1_000_000
        time = now
        balance = min(balance + passed * rate, rate * Self.longestRest)
    }
}
