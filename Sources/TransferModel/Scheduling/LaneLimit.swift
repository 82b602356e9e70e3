/// How many lanes an origin may have at a time, as its refusals teach: lowered at once, raised again one by one.
///
/// The first refusal holds for a minute. Each time that one lane more is refused again the wait doubles, up to an hour,
/// and each time that it is let in the wait halves: 1, 2, 4, 8, 16, 32, 60 min. So a server that allows two of eight
/// lanes sees six refused logins at first, and then six in the first hour and one in each hour after it.
struct LaneLimit: Hashable, Sendable {
    /// nil: as many as are configured.
    private(set) var most: Int?
    private var raiseAt = MonotonicTime(rawValue: .zero)
    private var patience = Self.shortest
    /// Raised since the last refusal.
    private var isRaised = false

    static let shortest: Duration = .seconds(60)
    static let longest: Duration = .seconds(3600)

    /// A lane was refused while `count` others are in use. Returns whether the origin had no limit before.
    mutating func refused(beside count: Int, now: MonotonicTime) -> Bool {
        let isNew = most == nil
        if isRaised { patience = min(patience * 2, Self.longest) }
        isRaised = false
        most = max(1, min(most ?? .max, count))
        raiseAt = now + patience
        return isNew
    }

    /// Lets one lane more in when the time has come.
    mutating func raise(configured: Int, now: MonotonicTime) {
        guard let lowered = most, raiseAt <= now else { return }
        // The last one that was let in stayed.
        if isRaised { patience = max(patience / 2, Self.shortest) }
        isRaised = true
        most = lowered + 1
        raiseAt = now + patience
        if lowered + 1 >= configured { self = LaneLimit() }
    }

    /// How many of the configured lanes there may be.
    func lanes(of configured: Int) -> Int { min(configured, most ?? configured) }

    /// When ``raise(configured:now:)`` changes something.
    var nextRaise: MonotonicTime? { most.map { _ in raiseAt } }
}
