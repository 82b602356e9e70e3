/// What the scheduler knows of one origin: its gate, its lanes, and when its next job is due.
struct OriginWork: Sendable {
    let origin: Origin
    var gate = OriginGate()
    /// nil: no queued job is known.
    var due: MonotonicTime?
    /// Jobs asked of the table and not brought yet.
    private(set) var claiming = 0
    private(set) var idle: [LaneID] = []
    private(set) var running: [JobID: Try] = [:]
    /// Lanes that the server has let in and whose connection, as far as is known, stands.
    private var admitted: Set<LaneID> = []
    private var limit = LaneLimit()

    /// A running job: its lane, and the gate's epoch in which it began.
    struct Try: Hashable, Sendable {
        let lane: LaneID
        let epoch: Int
    }

    /// The longest wait for a server that lets nobody in because it is full: places become free at any time.
    static let longestCrowdedDelay: Duration = .seconds(300)

    init(origin: Origin) { self.origin = origin }

    var isForgettable: Bool {
        due == nil && claiming == 0 && idle.isEmpty && running.isEmpty && gate == OriginGate()
            && limit == LaneLimit()
    }

    func isDue(_ now: MonotonicTime) -> Bool { due.map { $0 <= now } ?? false }

    /// How many jobs to claim now; they count as under way from here on.
    mutating func claim(atMost free: Int, lanes: Int, now: MonotonicTime) -> Int {
        guard isDue(now) else { return 0 }
        limit.raise(configured: lanes, now: now)
        let mine = min(free, limit.lanes(of: lanes) - running.count - claiming)
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

    /// One that is logged in, if there is one.
    mutating func takeIdleLane() -> LaneID? {
        guard let index = idle.lastIndex(where: admitted.contains) ?? idle.indices.last else { return nil }
        return idle.remove(at: index)
    }

    mutating func start(_ job: JobID, on lane: LaneID) { running[job] = Try(lane: lane, epoch: gate.epoch) }

    mutating func reopen() { gate.reopen() }

    /// There is room now: a probe need not wait any longer than until then.
    mutating func tryAgain(at time: MonotonicTime) { gate.shorten(to: time) }

    mutating func removeLane(_ lane: LaneID) {
        idle.removeAll { $0 == lane }
        admitted.remove(lane)
    }

    /// The job's end: the lane is idle, unless it is closed (nil), and the gate learns what the outcome says of the
    /// origin. Lanes that the actions close are to be forgotten.
    mutating func end(
        _ job: JobID, on lane: LaneID?, _ outcome: Outcome, now: MonotonicTime, delay: (Int) -> Duration
    ) -> [Scheduler.Action] {
        let epoch = running.removeValue(forKey: job)?.epoch ?? gate.epoch
        if let lane { idle.append(lane) }
        switch outcome {
        case .arrived:
            if let lane { admitted.insert(lane) }
            gate.succeed()
        case .interrupted, .cancelled:
            gate.abandonProbe()
        case .failed(let failure):
            note(failure, on: lane)
            return fail(failure, on: lane, epoch: epoch, now: now, delay: delay)
        }
        return []
    }

    /// Whether the lane's connection stands after a failure: a server that answers has let it in.
    private mutating func note(_ failure: Failure, on lane: LaneID?) {
        guard let lane, failure.class != .local else { return }
        if failure.scope == .job, failure.code != nil {
            admitted.insert(lane)
        } else if failure.scope != .job || failure.curl != nil {
            admitted.remove(lane)
        }
    }

    private mutating func fail(
        _ failure: Failure, on lane: LaneID?, epoch: Int, now: MonotonicTime, delay: (Int) -> Duration
    ) -> [Scheduler.Action] {
        switch failure.scope {
        case .job:
            gate.succeed()
            return []
        case .login:
            guard gate.stop() else { return [] }
            return [notice(stop: failure)] + loggingIn.map { .interrupt($0.value.lane, $0.key) }
        case .origin:
            due = min(due ?? now, now)
            let closing = lane.map { [Scheduler.Action.close($0)] } ?? []
            return closing + refuse(failure, epoch: epoch, now: now, delay: delay)
        }
    }

    /// The running jobs whose lane the server has not let in yet.
    private var loggingIn: [JobID: Try] { running.filter { !admitted.contains($0.value.lane) } }

    /// A lane more was refused, or the origin is away: which of them, what else goes on there tells.
    private mutating func refuse(
        _ failure: Failure, epoch: Int, now: MonotonicTime, delay: (Int) -> Duration
    ) -> [Scheduler.Action] {
        let others = admitted.count + loggingIn.count
        if failure.isCrowded ? others > 0 : !admitted.isEmpty {
            guard limit.refused(beside: others, now: now) else { return [] }
            return [notice(failure, "it is used with fewer connections for some time")]
        }
        if failure.isCrowded {
            _ = limit.refused(beside: 1, now: now)
        } else {
            limit = LaneLimit()
        }
        let longest: Duration? = failure.isCrowded ? Self.longestCrowdedDelay : nil
        guard gate.fail(tryEpoch: epoch, now: now, delay: { min(delay($0), longest ?? delay($0)) }) else {
            return []
        }
        return [notice(failure, "tried again later, one job at a time")]
    }

    private func notice(_ failure: Failure, _ consequence: String) -> Scheduler.Action {
        .notice(severity: 4, "\(origin) cannot be used now: \(failure.text); \(consequence)")
    }

    private func notice(stop failure: Failure) -> Scheduler.Action {
        .notice(
            severity: 3,
            "\(origin) refused the login: \(failure.text); its jobs wait until the daemon is reloaded or one is "
                + "tried again by hand")
    }

    /// When the clock alone may let a job start.
    func nextDeadline(lanes: (Origin) -> Int) -> MonotonicTime? {
        guard let due, running.count + claiming < lanes(origin) else { return nil }
        switch gate.state {
        case .open:
            let isFull = running.count + claiming >= limit.lanes(of: lanes(origin))
            return isFull ? limit.nextRaise.map { max(due, $0) } : due
        case .closed(let until): return max(due, until)
        case .probing, .stopped: return nil
        }
    }
}
