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
    /// Lanes that take part in jobs of others.
    var parts = SharedJobs()
    /// Lanes that the server has let in and whose connection, as far as is known, stands.
    private var admitted: Set<LaneID> = []
    private var limit = LaneLimit()
    /// What the failure said that closed the gate or lowered the limit last.
    private var complaint = ""
    /// Claimed, and waiting for a lane.
    private var backlog = Backlog()
    /// The size of the last job that arrived.
    private var lastSize: ByteCount?

    /// A running job: its lane, the gate's epoch in which it began, and whether its lane will soon be free.
    struct Try: Hashable, Sendable {
        let lane: LaneID
        let epoch: Int
        let isSmall: Bool
    }

    /// The longest wait for a server that lets nobody in because it is full: places become free at any time.
    static let longestCrowdedDelay: Duration = .seconds(300)

    init(origin: Origin) { self.origin = origin }

    var isForgettable: Bool {
        due == nil && claiming == 0 && idle.isEmpty && running.isEmpty && parts.isEmpty
            && gate == OriginGate()
            && limit == LaneLimit() && backlog.isEmpty
    }

    /// Whether a job of it is known that is not over.
    var hasWork: Bool { due != nil || claiming > 0 || !running.isEmpty || !backlog.isEmpty }

    func isDue(_ now: MonotonicTime) -> Bool { due.map { $0 <= now } ?? false }

    /// How many jobs to claim now; they count as under way from here on.
    mutating func claim(atMost free: Int, lanes: Int, now: MonotonicTime) -> Int {
        guard isDue(now) else { return 0 }
        limit.raise(configured: lanes, now: now)
        let mine = min(free, room(lanes: lanes))
        let count = gate.admits(max(mine, 0), now: now)
        if count > 0, case .closed = gate.state { gate.probe() }
        claiming += count
        return count
    }

    /// How many lanes more there may be in use.
    private func room(lanes: Int) -> Int {
        limit.lanes(of: lanes) - running.count - parts.count - claiming
    }

    /// How many lanes may join running jobs: those that no other job of the origin could use now.
    func spareLanes(lanes: Int, now: MonotonicTime) -> Int {
        guard !isDue(now), gate.state == .open, claiming == 0, backlog.isEmpty else { return 0 }
        return max(0, room(lanes: lanes))
    }

    /// Whether a job is due that only a lane could carry which takes part in another one's.
    func isStarved(lanes: Int, now: MonotonicTime) -> Bool {
        isDue(now) && gate.state == .open && claiming == 0 && room(lanes: lanes) <= 0 && parts.count > 0
    }

    /// A lane took part and is idle again; its own connection may have failed.
    mutating func part(_ lane: LaneID, _ job: JobID, _ failure: Failure?, now: MonotonicTime) -> Bool {
        parts.leave(lane)
        idle.append(lane)
        guard let failure else { return false }
        note(failure, on: lane)
        if failure.isCrowded { _ = limit.refused(beside: running.count + parts.count, now: now) }
        return failure.scope != .job
    }

    /// How many jobs to claim ahead of their lanes: some, when all lanes carry small ones.
    mutating func claimAhead(lanes: Int, now: MonotonicTime) -> Int {
        let mine = limit.lanes(of: lanes)
        guard isDue(now), gate.state == .open, claiming == 0, running.count >= mine,
            running.values.allSatisfy(\.isSmall)
        else { return 0 }
        return backlog.claim(lanes: mine)
    }

    /// What claims brought: `jobs`, of which some were asked for ahead of their lanes.
    mutating func claimed(_ jobs: [Job], asked: Int, ahead: Int) {
        claiming -= asked
        backlog.claimed(asked: ahead)
        if jobs.count < asked + ahead { due = nil }
        if asked > 0, jobs.isEmpty { gate.abandonProbe() }
    }

    mutating func wait(_ job: Job) { backlog.append(job) }

    /// The next waiting job when there is a lane for it.
    mutating func takeWaiting(lanes: Int) -> Job? {
        guard gate.state == .open, room(lanes: lanes) > 0 else { return nil }
        return backlog.takeFirst()
    }

    /// The waiting jobs when they cannot start: the origin is away.
    mutating func takeStranded() -> [Job] { gate.state == .open ? [] : backlog.takeAll() }

    mutating func takeBacklog() -> [Job] { backlog.takeAll() }

    mutating func takeWaiting(_ id: JobID) -> Job? { backlog.take(id) }

    var isWaiting: Bool { !backlog.jobs.isEmpty }

    func isWaiting(_ id: JobID) -> Bool { backlog.jobs.contains { $0.id == id } }

    /// One that is logged in, if there is one.
    mutating func takeIdleLane() -> LaneID? {
        guard let index = idle.lastIndex(where: admitted.contains) ?? idle.indices.last else { return nil }
        return idle.remove(at: index)
    }

    mutating func start(_ job: Job, on lane: LaneID) {
        running[job.id] = Try(lane: lane, epoch: gate.epoch, isSmall: Backlog.isSmall(job, after: lastSize))
    }

    mutating func reopen() { gate.reopen() }

    /// What was learned may be wrong from now on.
    mutating func reload() {
        gate.reopen()
        limit = LaneLimit()
    }

    /// There is room now: a probe need not wait any longer than until then.
    mutating func tryAgain(at time: MonotonicTime) { gate.shorten(to: time) }

    mutating func removeLane(_ lane: LaneID) {
        idle.removeAll { $0 == lane }
        parts.leave(lane)
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
        case .arrived(let arrival):
            lastSize = arrival.size
            // A probe that a mirror has helped on its way leaves the next one to be made.
            guard arrival.isOfOrigin else {
                gate.abandonProbe()
                return []
            }
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

    /// What is not as configured; nil: nothing. `wall` makes a time of the wall clock of one of the scheduler's.
    func trouble(wall: (MonotonicTime) -> Timestamp) -> OriginTrouble? {
        let effect: OriginTrouble.Effect? =
            switch gate.state {
            case .stopped: .stopped
            case .closed(let until): .backedOff(until: wall(until))
            case .probing: .backedOff(until: Timestamp(rawValue: 0))
            case .open: limit.most.map { .limited(lanes: $0) }
            }
        return effect.map { OriginTrouble(origin: origin, effect: $0, text: complaint) }
    }

    private mutating func fail(
        _ failure: Failure, on lane: LaneID?, epoch: Int, now: MonotonicTime, delay: (Int) -> Duration
    ) -> [Scheduler.Action] {
        if failure.scope != .job { complaint = failure.text }
        switch failure.scope {
        case .job:
            gate.succeed()
            return []
        case .login:
            guard gate.stop() else { return [] }
            // A web server has had the login of what runs already, and a post that is cut may have arrived.
            let stopped = origin.scheme.isWeb ? [:] : loggingIn
            return [notice(stop: failure)] + stopped.map { .interrupt($0.value.lane, $0.key) }
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
