/// Whether an origin may be tried, and when again: the back-off that jobs of one origin share.
struct OriginGate: Hashable, Sendable {
    enum State: Hashable, Sendable {
        case open
        /// Nothing is tried until then.
        case closed(until: MonotonicTime)
        /// One job is on its way to see whether the origin is back.
        case probing
        /// A refused login: nothing is tried until a person has acted.
        case stopped
    }

    private(set) var state = State.open
    /// Failures in a row of the origin itself.
    private(set) var failures = 0
    /// Counts the closings, so that failures of tries begun before the last one say nothing new.
    private(set) var epoch = 0

    mutating func probe() { state = .probing }

    mutating func succeed() {
        state = .open
        failures = 0
    }

    /// The origin failed for a try that began in `tryEpoch`. Returns whether that is news.
    mutating func fail(tryEpoch: Int, now: MonotonicTime, delay: (Int) -> Duration) -> Bool {
        guard tryEpoch == epoch, state != .stopped else { return false }
        failures += 1
        epoch += 1
        state = .closed(until: now + delay(failures))
        return true
    }

    /// The login was refused. Returns whether that is news.
    mutating func stop() -> Bool {
        guard state != .stopped else { return false }
        epoch += 1
        state = .stopped
        return true
    }

    /// A person has acted: a probe may start at once.
    mutating func reopen() {
        switch state {
        case .open, .probing: break
        case .closed, .stopped: state = .closed(until: MonotonicTime(rawValue: .zero))
        }
    }

    /// A closed gate opens for a probe at `time` already.
    mutating func shorten(to time: MonotonicTime) {
        if case .closed(let until) = state { state = .closed(until: min(until, time)) }
    }

    /// The claim for a probe brought no job.
    mutating func abandonProbe() {
        if state == .probing { state = .closed(until: MonotonicTime(rawValue: .zero)) }
    }

    /// How many jobs may be started now, given that `free` lanes are.
    func admits(_ free: Int, now: MonotonicTime) -> Int {
        switch state {
        case .open: free
        case .closed(let until): until <= now ? min(free, 1) : 0
        case .probing, .stopped: 0
        }
    }
}
