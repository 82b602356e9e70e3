internal import TransferModel

/// How fast a job moves, in bytes a second.
struct Speed: Hashable, Sendable {
    let bytesPerSecond: Double

    init(bytesPerSecond: Double) { self.bytesPerSecond = bytesPerSecond }

    /// What the running attempt has moved since it began; nil when it moved nothing or has just begun.
    init?(_ attempt: Attempt, offset: ByteCount, now: Timestamp) {
        self.init(moved: offset - attempt.startOffset, within: now.since(attempt.startedAt))
    }

    /// nil when nothing moved, or the time is too short to tell.
    init?(moved: ByteCount, within time: Duration) {
        guard moved > .zero, time >= .milliseconds(100) else { return nil }
        bytesPerSecond = Double(moved.rawValue) * 1000 / Double(time.wholeMilliseconds)
    }

    var text: String { Amount.size(ByteCount(rawValue: Int64(bytesPerSecond))) + "/s" }

    /// How long the rest takes at this speed.
    func time(for rest: ByteCount) -> Duration? {
        let seconds = Double(rest.rawValue) / bytesPerSecond
        guard rest >= .zero, seconds < 1e9 else { return nil }
        return .seconds(Int64(seconds.rounded(.up)))
    }
}
