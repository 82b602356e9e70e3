internal import Synchronization
public import TransferModel

/// A rate that everything keeps which shares it: all transfers, those of one origin, or one job's; each direction for
/// itself. It may be changed at any time, from any queue.
public final class RateLimiter: Sendable {
    enum Direction {
        case up, down
    }

    private struct State {
        var up = TokenBucket()
        var down = TokenBucket()
    }

    private let state = Mutex(State())

    public init(_ rate: Rate? = nil) { set(rate) }

    public func set(_ rate: Rate?) {
        state.withLock { state in
            state.up.rate = rate
            state.down.rate = rate
        }
    }

    /// How long nothing may move that way; zero: now something may.
    func wait(_ direction: Direction) -> Duration {
        state.withLock { state in
            switch direction {
            case .up: state.up.wait(now: .now)
            case .down: state.down.wait(now: .now)
            }
        }
    }

    func take(_ count: Int, _ direction: Direction) {
        state.withLock { state in
            switch direction {
            case .up: state.up.take(count, now: .now)
            case .down: state.down.take(count, now: .now)
            }
        }
    }

    /// What moves at once at most, where there is a rate: a tenth of a second's worth.
    var largestPiece: Int? {
        state.withLock { $0.up.rate }.map { Int(clamping: max(1_024, $0.bytesPerSecond / 10)) }
    }
}

/// The limiters that one job has to keep.
public struct Rates: Sendable {
    let limiters: [RateLimiter]

    public init(_ limiters: [RateLimiter] = []) { self.limiters = limiters }

    func wait(_ direction: RateLimiter.Direction) -> Duration {
        limiters.reduce(.zero) { max($0, $1.wait(direction)) }
    }

    func take(_ count: Int, _ direction: RateLimiter.Direction) {
        for limiter in limiters { limiter.take(count, direction) }
    }

    var largestPiece: Int? { limiters.compactMap(\.largestPiece).min() }
}
