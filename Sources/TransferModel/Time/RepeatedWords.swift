/// What was said of troubles that go on: each is said once, then when its words change, else once an hour.
public struct RepeatedWords<Subject: Hashable & Sendable>: Sendable {
    private struct Said {
        let words: String
        let time: MonotonicTime
    }

    private var said: [Subject: Said] = [:]
    private let interval: Duration
    /// When those were last let go of which nothing has been heard.
    private var prunedAt: MonotonicTime?

    public init(interval: Duration = .seconds(3600)) { self.interval = interval }

    /// Whether this is to be said now; it counts as said then.
    public mutating func isNews(_ words: String, of subject: Subject, now: MonotonicTime) -> Bool {
        prune(now)
        if let before = said[subject], before.words == words, now.since(before.time) < interval {
            return false
        }
        said[subject] = Said(words: words, time: now)
        return true
    }

    /// The trouble is over: when it comes again it is news.
    public mutating func end(_ subject: Subject) { said[subject] = nil }

    /// A trouble that goes on is said again after an interval at the latest; one of which nothing was said for longer may
    /// have ended without a word.
    private mutating func prune(_ now: MonotonicTime) {
        let last = prunedAt ?? now
        guard prunedAt == nil || now.since(last) >= interval else { return }
        prunedAt = now
        said = said.filter { now.since($0.value.time) < interval * 2 }
    }
}
