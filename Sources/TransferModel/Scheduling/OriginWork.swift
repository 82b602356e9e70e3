/// What the scheduler knows of one origin: its gate, its lanes, and when its next job is due.
struct OriginWork: Sendable {
    let origin: Origin
    var gate = OriginGate()
    /// nil: no queued job is known.
    var due: MonotonicTime?
    /// Jobs asked of the table and not brought yet.
    private(set) var claiming = 0
    private(set) var idle: [LaneID] = []
    /// The running jobs, each with the gate's epoch in which it began.
    private(set) var running: [JobID: Int] = [:]
    /// Fewer lanes than configured, after "too many connections"; one more is tried at `raiseAt`.
    private var cap: Int?
    private var raiseAt: MonotonicTime?

    /// How long a lowered number of lanes stays before one more is tried.
    static let raiseAfter: Duration = .seconds(300)

    init(origin: Origin) { self.origin = origin }

    var isForgettable: Bool {
        due == nil && claiming == 0 && idle.isEmpty && running.isEmpty && gate == OriginGate() && cap == nil
    }

    func isDue(_ now: MonotonicTime) -> Bool { due.map { $0 <= now } ?? false }

    /// How many jobs to claim now; they count as under way from here on.
    mutating func claim(atMost free: Int, lanes: Int, now: MonotonicTime) -> Int {
        guard isDue(now) else { return 0 }
        raise(now)
        let mine = min(free, min(lanes, cap ?? lanes) - running.count - claiming)
        let count = gate.admits(max(mine, 0), now: now)
        if count > 0, case .closed = gate.state { gate.probe() }
        claiming += count
        return count
    }

    mutating func claimed(_ count: Int, asked: Int) {
        claiming -= asked
        if count < asked { due = nil }
        if count == 0 { gate.abandonProbe() }
    }

    mutating func takeIdleLane() -> LaneID? { idle.popLast() }

    mutating func start(_ job: JobID, on lane: LaneID) { running[job] = gate.epoch }

    mutating func reopen() { gate.reopen() }

    mutating func removeIdle(_ lane: LaneID) { idle.removeAll { $0 == lane } }

    /// The job's end: the lane is idle, unless it is closed (nil), and the gate learns what the outcome says of the
    /// origin.
    mutating func end(
        _ job: JobID, on lane: LaneID?, _ outcome: Outcome, now: MonotonicTime, delay: (Int) -> Duration
    ) -> [Scheduler.Action] {
        let epoch = running.removeValue(forKey: job) ?? gate.epoch
        if let lane { idle.append(lane) }
        switch outcome {
        case .arrived:
            gate.succeed()
        case .interrupted, .cancelled:
            gate.abandonProbe()
        case .failed(let failure):
            return fail(failure, epoch: epoch, now: now, delay: delay)
        }
        return []
    }

    private mutating func fail(
        _ failure: Failure, epoch: Int, now: MonotonicTime, delay: (Int) -> Duration
    ) -> [Scheduler.Action] {
        switch failure.scope {
        case .job:
            gate.succeed()
            return []
        case .login:
            guard gate.stop() else { return [] }
            return [
                .notice(
                    severity: 3,
                    "\(origin) refused the login: \(failure.text); its jobs wait until the daemon is reloaded"
                )
            ]
        case .origin:
            due = min(due ?? now, now)
            if lowerLanes(failure, now: now) {
                return [notice(failure, "fewer connections to it from now on")]
            }
            guard gate.fail(tryEpoch: epoch, now: now, delay: delay) else { return [] }
            return [notice(failure, "tried again later, one job at a time")]
        }
    }

    private func notice(_ failure: Failure, _ consequence: String) -> Scheduler.Action {
        .notice(severity: 4, "\(origin) cannot be used now: \(failure.text); \(consequence)")
    }

    /// "Too many connections" (421, 530) while others work is a limit, not an outage.
    private mutating func lowerLanes(_ failure: Failure, now: MonotonicTime) -> Bool {
        guard failure.code == 421 || failure.code == 530, !running.isEmpty else { return false }
        cap = running.count
        raiseAt = now + Self.raiseAfter
        return true
    }

    private mutating func raise(_ now: MonotonicTime) {
        guard let lowered = cap, let time = raiseAt, time <= now else { return }
        cap = lowered + 1
        raiseAt = now + Self.raiseAfter
    }

    /// When the clock alone may let a job start.
    func nextDeadline(lanes: (Origin) -> Int) -> MonotonicTime? {
        guard let due, running.count + claiming < min(lanes(origin), cap ?? .max) else { return nil }
        switch gate.state {
        case .open: return due
        case .closed(let until): return max(due, until)
        case .probing, .stopped: return nil
        }
    }
}
