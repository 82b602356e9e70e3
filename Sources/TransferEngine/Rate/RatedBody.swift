internal import TransferModel

/// Lets a body through no faster than its rates allow: has it wait, and whoever waits called back in time.
///
/// Used on the lane. libcurl's own limits leave no socket to wait for, which ends in a loop that spins.
final class RatedBody {
    private let rates: Rates
    private let remind: (Duration) -> Void

    /// The rate may change while something waits for it.
    private static let longestWait = Duration.milliseconds(250)

    /// `remind` has the lane go on after so much time.
    init(_ rates: Rates, remind: @escaping (Duration) -> Void) {
        self.rates = rates
        self.remind = remind
    }

    /// Whether something may move that way now; if not, the lane goes on by itself later.
    fileprivate func isOpen(_ direction: RateLimiter.Direction) -> Bool {
        let wait = rates.wait(direction)
        guard wait > .zero else { return true }
        remind(min(wait, Self.longestWait))
        return false
    }

    fileprivate func take(_ count: Int, _ direction: RateLimiter.Direction) { rates.take(count, direction) }

    fileprivate var largestPiece: Int? { rates.largestPiece }
}

/// What is sent, at its rates.
final class RatedSource: BodySource {
    private let source: any BodySource
    private let rate: RatedBody

    init(_ source: any BodySource, _ rate: RatedBody) {
        self.source = source
        self.rate = rate
    }

    func read(into space: UnsafeMutableRawBufferPointer) -> ReadAnswer {
        guard rate.isOpen(.up) else { return .wait }
        let count = min(space.count, rate.largestPiece ?? space.count)
        let answer = source.read(into: UnsafeMutableRawBufferPointer(rebasing: space[..<count]))
        if case .bytes(let count) = answer { rate.take(count, .up) }
        return answer
    }
}

/// What comes, at its rates.
final class RatedSink: BodySink {
    private let sink: any BodySink
    private let rate: RatedBody

    init(_ sink: any BodySink, _ rate: RatedBody) {
        self.sink = sink
        self.rate = rate
    }

    var hasEnough: Bool { sink.hasEnough }

    func settle() { sink.settle() }

    var plainLength: Int64? { sink.plainLength }

    func space() -> Space {
        guard rate.isOpen(.down) else { return .wait }
        let space = sink.space()
        guard case .bytes(let bytes) = space, let largest = rate.largestPiece, largest < bytes.count else {
            return space
        }
        return .bytes(UnsafeMutableRawBufferPointer(rebasing: bytes[..<largest]))
    }

    func filled(_ count: Int) -> WriteAnswer {
        rate.take(count, .down)
        return sink.filled(count)
    }

    func write(_ bytes: UnsafeRawBufferPointer) -> WriteAnswer {
        guard rate.isOpen(.down) else { return .wait }
        let answer = sink.write(bytes)
        switch answer {
        case .taken, .enough: rate.take(bytes.count, .down)
        case .wait, .fail: break
        }
        return answer
    }
}
