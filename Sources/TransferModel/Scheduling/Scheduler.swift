/// Decides what starts, where and when: events in, actions out.
///
/// A value without clock, queue, table or socket. It knows the origins that have work, the lanes that are open and
/// what runs on them; the jobs themselves stay in the table until they are claimed. An origin that is down is tried by
/// one probe at a time and takes nothing from the others.
public struct Scheduler: Sendable {
    public enum Event: Sendable {
        /// What the table says of queued jobs, for every origin that has any.
        case demanded([Demand])
        /// A job of `origin` will be due at `due`; the table has more, or less, of them than before.
        case due(Origin, MonotonicTime)
        /// What a ``Action/claim(_:count:ahead:)`` brought; fewer than asked when no more are due.
        case claimed(Origin, [Job], asked: Int, ahead: Int = 0)
        case ended(LaneID, JobID, Outcome, spread: Double)
        /// A running job could use so many lanes besides its own, each to one of these origins.
        case divisible(JobID, lanes: [Origin: Int])
        /// A lane that took part in a job is idle; its connection's failure, where that was the reason.
        case parted(LaneID, JobID, Failure?)
        case laneClosed(LaneID)
        /// Cancel or hold of a running job.
        case asked(JobRequest, JobID)
        /// The configuration was read anew: stopped logins and backed-off origins are tried again.
        case reloaded(Limits)
        /// A person asked for a retry of one of the origin's jobs: it is tried again now, whatever it did before.
        case retried(Origin)
        /// No more work: running jobs are interrupted.
        case stopping
        case clock
    }

    public enum Action: Hashable, Sendable {
        /// `count` jobs for lanes that are free, and after them `ahead` for lanes that are still busy.
        case claim(Origin, count: Int, ahead: Int = 0)
        case open(LaneID, Origin)
        case start(Job, LaneID)
        /// The lane takes part in a job that runs on another one, until it is done there or interrupted.
        case join(JobID, LaneID)
        case cancel(LaneID, JobID)
        case interrupt(LaneID, JobID)
        case close(LaneID)
        /// A claimed job that cannot start after all goes back as it was.
        case giveBack(Job)
        case notice(severity: Int, String)
    }

    public struct Demand: Hashable, Sendable {
        public let origin: Origin
        public let due: MonotonicTime

        public init(origin: Origin, due: MonotonicTime) {
            self.origin = origin
            self.due = due
        }
    }

    /// How many lanes there may be.
    public struct Limits: Sendable {
        public var total: Int
        public var perOrigin: @Sendable (Origin) -> Int

        public init(total: Int, perOrigin: @escaping @Sendable (Origin) -> Int) {
            self.total = total
            self.perOrigin = perOrigin
        }
    }

    var limits: Limits
    private let policy: RetryPolicy
    var origins: [Origin: OriginWork] = [:]
    var originOfLane: [LaneID: Origin] = [:]
    private var placeOfJob: [JobID: Place] = [:]
    private var nextLane = 1
    var isStopping = false
    /// Before then no job is claimed ahead.
    private var aheadFrom: MonotonicTime?
    /// Where the next round over the origins begins, so that none is always last.
    private var turn = 0

    /// Where a job runs. Its lane may have closed meanwhile, which its end will say.
    private struct Place: Sendable {
        let lane: LaneID
        let origin: Origin
    }

    public init(limits: Limits, policy: RetryPolicy = RetryPolicy()) {
        self.limits = limits
        self.policy = policy
    }

    /// Takes one event in and says what is to be done, in this order.
    public mutating func handle(_ event: Event, now: MonotonicTime) -> [Action] {
        var actions: [Action] = []
        switch event {
        case .demanded(let demands): learn(demands)
        case .due(let origin, let due): learn(origin, due)
        case .claimed(let origin, let jobs, let asked, let ahead):
            work(origin) { $0.claimed(jobs, asked: asked, ahead: ahead) }
            actions += place(jobs, of: origin)
        case .ended(let lane, let job, let outcome, let spread):
            actions += end(lane, job, outcome, spread: spread, now: now)
        case .divisible(let job, let lanes): share(job, among: lanes)
        case .parted(let lane, let job, let failure): actions += part(lane, job, failure, now: now)
        case .laneClosed(let lane): forget(lane)
        case .asked(let request, let job): actions += carry(request, job)
        case .reloaded(let limits): actions += reload(limits)
        case .retried(let origin): origins[origin]?.reopen()
        case .stopping:
            isStopping = true
            for origin in origins.keys { actions += giveBacklog(of: origin) }
            actions += placeOfJob.sorted { $0.key < $1.key }.map { .interrupt($0.value.lane, $0.key) }
            for origin in origins.keys { actions += work(origin) { $0.parts.recallAll() } }
        case .clock: break
        }
        return actions + claims(now: now) + recalls(now: now) + joins(now: now)
    }

    /// When ``Event/clock`` is due next; nil when only an event can change anything.
    public var nextDeadline: MonotonicTime? {
        // A lane that is recalled is free in a moment, which is an event.
        guard !isStopping, placeOfJob.count + claimsUnderWay < limits.total, !isRecalling else { return nil }
        return origins.values.compactMap { $0.nextDeadline(lanes: limits.perOrigin) }.min()
    }

    public var runningCount: Int { placeOfJob.count }
    /// Open lanes, busy or idle.
    public var laneCount: Int { originOfLane.count }
    public func lane(of job: JobID) -> LaneID? { placeOfJob[job]?.lane }
    /// Origins with jobs at which nothing is tried until a person acts: they refused the login.
    public var stoppedOrigins: [Origin] {
        origins.values.filter { $0.gate.state == .stopped && $0.hasWork }.map(\.origin).sorted()
    }
    /// The origins that have jobs and at which less is tried than their configuration allows, in their order. `wall` makes a
    /// time of the wall clock of one of the scheduler's.
    public func troubles(wall: (MonotonicTime) -> Timestamp) -> [OriginTrouble] {
        origins.values.filter(\.hasWork).compactMap { $0.trouble(wall: wall) }.sorted {
            $0.origin < $1.origin
        }
    }
    /// Whether the job was claimed ahead and has no lane yet.
    public func isWaiting(_ job: JobID) -> Bool { origins.values.contains { $0.isWaiting(job) } }

    /// After an end that was no orderly one: every job is recorded as begun before it begins, for some time, so that one
    /// that ends the daemon is known.
    public mutating func claimNothingAhead(until time: MonotonicTime) { aheadFrom = time }

    /// Lanes that have a job, or take part in one, or are about to have one.
    var used: Int { origins.values.reduce(placeOfJob.count) { $0 + $1.claiming + $1.parts.count } }

    var isRecalling: Bool { origins.values.contains { $0.parts.isRecalling } }

    private var claimsUnderWay: Int { origins.values.reduce(0) { $0 + $1.claiming } }
}

// MARK: - What is there to do

extension Scheduler {
    private mutating func learn(_ demands: [Demand]) {
        for origin in origins.keys { origins[origin]?.due = nil }
        for demand in demands { work(demand.origin) { $0.due = demand.due } }
        origins = origins.filter { !$0.value.isForgettable }
    }

    private mutating func learn(_ origin: Origin, _ due: MonotonicTime) {
        work(origin) { $0.due = min($0.due ?? due, due) }
    }

    mutating func work<Result>(_ origin: Origin, _ body: (inout OriginWork) -> Result) -> Result {
        body(&origins[origin, default: OriginWork(origin: origin)])
    }

    /// Every origin in turn gets what it may have, one job at a time, until the lanes in all are used.
    private mutating func claims(now: MonotonicTime) -> [Action] {
        guard !isStopping else { return [] }
        var free = limits.total - used
        let ready = origins.values.filter { $0.isDue(now) }.map(\.origin).sorted()
        guard !ready.isEmpty, free > 0 || ready.count == 1 else { return [] }
        turn = (turn + 1) % ready.count
        var actions: [Action] = []
        for origin in ready[turn...] + ready[..<turn] where free > 0 || ready.count == 1 {
            let lanes = limits.perOrigin(origin)
            let count = work(origin) { $0.claim(atMost: free, lanes: lanes, now: now) }
            free -= count
            let ahead = count == 0 ? claimAhead(of: origin, lanes: lanes, now: now) : 0
            if count + ahead > 0 { actions.append(.claim(origin, count: count, ahead: ahead)) }
        }
        return actions
    }

    private mutating func claimAhead(of origin: Origin, lanes: Int, now: MonotonicTime) -> Int {
        if let aheadFrom {
            guard aheadFrom <= now else { return 0 }
            self.aheadFrom = nil
        }
        let lanes = min(lanes, limits.total)
        return work(origin) { $0.claimAhead(lanes: lanes, now: now) }
    }
}

// MARK: - Lanes and jobs

extension Scheduler {
    private mutating func place(_ jobs: [Job], of origin: Origin) -> [Action] {
        var actions: [Action] = []
        for job in jobs {
            if isStopping {
                actions.append(.giveBack(job))
            } else if job.isAhead {
                work(origin) { $0.wait(job) }
            } else {
                start(job, &actions)
            }
        }
        return actions + startWaiting(of: origin)
    }

    private mutating func start(_ job: Job, _ actions: inout [Action]) {
        let origin = job.origin
        let idle = work(origin) { $0.takeIdleLane() }
        let lane = idle ?? openLane(origin, &actions)
        placeOfJob[job.id] = Place(lane: lane, origin: origin)
        work(origin) { $0.start(job, on: lane) }
        actions.append(.start(job, lane))
    }

    /// What was claimed ahead starts when there is a lane for it, and goes back when its origin is away.
    mutating func startWaiting(of origin: Origin) -> [Action] {
        guard origins[origin]?.isWaiting == true else { return [] }
        var actions: [Action] = []
        let lanes = limits.perOrigin(origin)
        while used < limits.total, let job = work(origin, { $0.takeWaiting(lanes: lanes) }) {
            start(job, &actions)
        }
        return actions + work(origin) { $0.takeStranded() }.map(Action.giveBack)
    }

    private mutating func giveBacklog(of origin: Origin) -> [Action] {
        work(origin) { $0.takeBacklog() }.map(Action.giveBack)
    }

    mutating func openLane(_ origin: Origin, _ actions: inout [Action]) -> LaneID {
        if originOfLane.count >= limits.total, let idle = idleLane(notOf: origin) {
            actions.append(.close(idle))
            forget(idle)
        }
        let lane = LaneID(rawValue: nextLane)
        nextLane += 1
        originOfLane[lane] = origin
        actions.append(.open(lane, origin))
        return lane
    }

    private func idleLane(notOf origin: Origin) -> LaneID? {
        origins.values.filter { $0.origin != origin }.flatMap(\.idle).min()
    }

    mutating func forget(_ lane: LaneID) {
        guard let origin = originOfLane.removeValue(forKey: lane) else { return }
        work(origin) { $0.removeLane(lane) }
        if origins[origin]?.isForgettable == true { origins[origin] = nil }
    }

    private mutating func end(
        _ lane: LaneID, _ job: JobID, _ outcome: Outcome, spread: Double, now: MonotonicTime
    ) -> [Action] {
        let isFull = used >= limits.total
        guard let place = placeOfJob.removeValue(forKey: job) else { return [] }
        let policy = policy
        let isOpen = originOfLane[lane] != nil
        var actions = work(place.origin) { work in
            work.end(job, on: isOpen ? lane : nil, outcome, now: now) {
                policy.delay(afterFailures: $0, spread: spread)
            }
        }
        for case .close(let lane) in actions { forget(lane) }
        actions += dissolve(job)
        // The free lane is the next origin's when there are not enough for all.
        let isNeeded = isFull && origins.values.contains { $0.origin != place.origin && $0.isDue(now) }
        actions += isNeeded ? giveBacklog(of: place.origin) : startWaiting(of: place.origin)
        guard case .failed(let failure) = outcome, failure.isCrowded else { return actions }
        return actions + makeRoom(for: place.origin, now: now)
    }

    /// A server may count the connections of all logins together: those that only wait give way.
    private mutating func makeRoom(for origin: Origin, now: MonotonicTime) -> [Action] {
        let idle = origins.values.filter { $0.origin != origin && $0.origin.host == origin.host }
            .flatMap(\.idle).sorted()
        guard !idle.isEmpty else { return [] }
        for lane in idle { forget(lane) }
        work(origin) { $0.tryAgain(at: now + .seconds(1)) }
        return idle.map(Action.close)
    }

    private mutating func carry(_ request: JobRequest, _ job: JobID) -> [Action] {
        guard let lane = placeOfJob[job]?.lane else { return giveBack(job) }
        switch request {
        case .cancel: return [.cancel(lane, job)]
        case .hold: return [.interrupt(lane, job)]
        case .release, .retry: return []
        }
    }

    /// A job that was claimed ahead: what was asked of it is carried out when it is back.
    private mutating func giveBack(_ id: JobID) -> [Action] {
        for origin in origins.keys {
            if let job = work(origin, { $0.takeWaiting(id) }) { return [.giveBack(job)] }
        }
        return []
    }

    private mutating func reload(_ limits: Limits) -> [Action] {
        self.limits = limits
        let idle = origins.values.flatMap(\.idle)
        for lane in idle { forget(lane) }
        for origin in origins.keys { origins[origin]?.reload() }
        return idle.sorted().map(Action.close)
    }
}
