import Testing
import TransferModel

@Suite struct SchedulerDecisions {
    static let first = Origin(scheme: .ftp, host: "a")
    static let second = Origin(scheme: .ftp, host: "b")
    static let down = Failure(.temporary, scope: .origin, curl: 7, text: "connection refused")

    var scheduler = Scheduler(limits: .init(total: 6, perOrigin: { _ in 4 }))
    let now = time(100)

    static func time(_ seconds: Int) -> MonotonicTime { MonotonicTime(rawValue: .seconds(seconds)) }
    static func job(_ id: Int64, _ origin: Origin) -> Job { .sample(id: id, url: "ftp://\(origin.host)/x") }

    mutating func demand(_ origins: Origin..., at due: MonotonicTime? = nil) -> [Scheduler.Action] {
        scheduler.handle(.demanded(origins.map { .init(origin: $0, due: due ?? now) }), now: now)
    }

    @Test
    mutating func `an origin gets as many claims as it may have lanes, and all together no more than in all`()
    {
        let actions = demand(Self.first, Self.second)
        let counts = actions.compactMap { action in
            if case .claim(_, let count, _) = action { count } else { nil as Int? }
        }
        #expect(counts.reduce(0, +) == 6)
        #expect(counts.allSatisfy { $0 <= 4 })
    }

    @Test mutating func `a claimed job opens a lane and starts on it`() {
        _ = demand(Self.first)
        let job = Self.job(1, Self.first)
        let actions = scheduler.handle(.claimed(Self.first, [job], asked: 4), now: now)
        #expect(actions == [.open(LaneID(rawValue: 1), Self.first), .start(job, LaneID(rawValue: 1))])
    }

    @Test mutating func `a lane is used again by the next job of its origin`() {
        _ = demand(Self.first)
        _ = scheduler.handle(.claimed(Self.first, [Self.job(1, Self.first)], asked: 4), now: now)
        let lane = LaneID(rawValue: 1)
        _ = scheduler.handle(
            .ended(lane, JobID(rawValue: 1), .arrived(.init(size: .zero)), spread: 0.5), now: now)
        _ = demand(Self.first)
        let next = Self.job(2, Self.first)
        #expect(scheduler.handle(.claimed(Self.first, [next], asked: 4), now: now) == [.start(next, lane)])
    }

    @Test
    mutating func `an origin that is down is probed by one job after the back-off and holds up no other`() {
        _ = demand(Self.first)
        _ = scheduler.handle(.claimed(Self.first, [Self.job(1, Self.first)], asked: 4), now: now)
        _ = scheduler.handle(
            .ended(LaneID(rawValue: 1), JobID(rawValue: 1), .failed(Self.down), spread: 0.5), now: now)
        #expect(demand(Self.first, Self.second) == [.claim(Self.second, count: 4)])
        #expect(scheduler.nextDeadline == Self.time(130))
        let probe = scheduler.handle(.clock, now: Self.time(131))
        #expect(probe == [.claim(Self.first, count: 1)])
    }

    @Test mutating func `lanes that fail together back an origin off once`() {
        _ = demand(Self.first)
        let jobs = (1...4).map { Self.job($0, Self.first) }
        _ = scheduler.handle(.claimed(Self.first, jobs, asked: 4), now: now)
        for number in 1...4 {
            _ = scheduler.handle(
                .ended(
                    LaneID(rawValue: number), JobID(rawValue: Int64(number)), .failed(Self.down), spread: 0.5),
                now: now)
        }
        _ = demand(Self.first)
        #expect(scheduler.nextDeadline == Self.time(130))
    }

    @Test mutating func `a probe that succeeds opens the origin for all its lanes`() {
        _ = demand(Self.first)
        _ = scheduler.handle(.claimed(Self.first, [Self.job(1, Self.first)], asked: 4), now: now)
        let lane = LaneID(rawValue: 1)
        _ = scheduler.handle(.ended(lane, JobID(rawValue: 1), .failed(Self.down), spread: 0.5), now: now)
        _ = scheduler.handle(.clock, now: Self.time(131))
        _ = scheduler.handle(.claimed(Self.first, [Self.job(1, Self.first)], asked: 1), now: Self.time(131))
        let after = scheduler.handle(
            .ended(lane, JobID(rawValue: 1), .arrived(.init(size: .zero)), spread: 0.5), now: Self.time(132))
        #expect(after == [.claim(Self.first, count: 4)])
    }

    @Test mutating func `what a mirror brought leaves the back-off of the job's own origin as it is`() {
        _ = demand(Self.first)
        let jobs = (1...2).map { Self.job($0, Self.first) }
        _ = scheduler.handle(.claimed(Self.first, jobs, asked: 4), now: now)
        let lanes = (1...2).map { LaneID(rawValue: $0) }
        _ = scheduler.handle(.ended(lanes[0], JobID(rawValue: 1), .failed(Self.down), spread: 0.5), now: now)
        var arrival = Outcome.Arrival(size: .zero)
        arrival.isOfOrigin = false
        // One that ran already.
        _ = scheduler.handle(.ended(lanes[1], JobID(rawValue: 2), .arrived(arrival), spread: 0.5), now: now)
        #expect(demand(Self.first).isEmpty && scheduler.nextDeadline == Self.time(130))
        // The probe itself: the next job is one, too.
        _ = scheduler.handle(.clock, now: Self.time(131))
        _ = scheduler.handle(.claimed(Self.first, [Self.job(3, Self.first)], asked: 1), now: Self.time(131))
        let after = scheduler.handle(
            .ended(lanes[1], JobID(rawValue: 3), .arrived(arrival), spread: 0.5), now: Self.time(132))
        #expect(after == [.claim(Self.first, count: 1)])
    }

    @Test mutating func `a refused login stops its origin until a reload and is said once`() {
        _ = demand(Self.first)
        let jobs = (1...2).map { Self.job($0, Self.first) }
        _ = scheduler.handle(.claimed(Self.first, jobs, asked: 4), now: now)
        let refused = Failure(.permanent, scope: .login, code: 530, text: "Login incorrect.")
        let actions = (1...2).flatMap { number in
            scheduler.handle(
                .ended(
                    LaneID(rawValue: number), JobID(rawValue: Int64(number)), .failed(refused), spread: 0.5),
                now: now)
        }
        #expect(actions.count { if case .notice = $0 { true } else { false } } == 1)
        #expect(demand(Self.first).isEmpty)
        #expect(scheduler.handle(.clock, now: Self.time(100_000)).isEmpty)
        let limits = Scheduler.Limits(total: 6, perOrigin: { _ in 4 })
        let again = scheduler.handle(.reloaded(limits), now: Self.time(100_001))
        #expect(again.contains(.claim(Self.first, count: 1)))
    }

    @Test mutating func `too many connections lowers the lanes of an origin that still works`() {
        _ = demand(Self.first)
        let jobs = (1...4).map { Self.job($0, Self.first) }
        _ = scheduler.handle(.claimed(Self.first, jobs, asked: 4), now: now)
        var full = Failure(.temporary, scope: .origin, code: 421, text: "There are too many connections")
        full.isCrowded = true
        _ = scheduler.handle(
            .ended(LaneID(rawValue: 4), JobID(rawValue: 4), .failed(full), spread: 0.5), now: now)
        #expect(demand(Self.first).isEmpty)
        let next = scheduler.handle(
            .ended(LaneID(rawValue: 1), JobID(rawValue: 1), .arrived(.init(size: .zero)), spread: 0.5),
            now: now)
        #expect(next == [.claim(Self.first, count: 1)])
    }

    @Test mutating func `cancel of a running job reaches its lane`() {
        _ = demand(Self.first)
        _ = scheduler.handle(.claimed(Self.first, [Self.job(7, Self.first)], asked: 4), now: now)
        let job = JobID(rawValue: 7)
        #expect(scheduler.handle(.asked(.cancel, job), now: now) == [.cancel(LaneID(rawValue: 1), job)])
        #expect(scheduler.handle(.asked(.cancel, JobID(rawValue: 8)), now: now).isEmpty)
    }

    @Test mutating func `while stopping nothing starts and what was claimed goes back`() {
        _ = demand(Self.first)
        #expect(scheduler.handle(.stopping, now: now).isEmpty)
        let job = Self.job(1, Self.first)
        #expect(scheduler.handle(.claimed(Self.first, [job], asked: 4), now: now) == [.giveBack(job)])
        #expect(demand(Self.second).isEmpty)
    }

    @Test mutating func `a retry that a person asked for opens a backed-off origin for a probe`() {
        _ = demand(Self.first)
        _ = scheduler.handle(.claimed(Self.first, [Self.job(1, Self.first)], asked: 4), now: now)
        _ = scheduler.handle(
            .ended(LaneID(rawValue: 1), JobID(rawValue: 1), .failed(Self.down), spread: 0.5), now: now)
        #expect(scheduler.handle(.clock, now: now).isEmpty)
        #expect(scheduler.handle(.retried(Self.first), now: now) == [.claim(Self.first, count: 1)])
    }

    @Test mutating func `a job that was started on a lane that had just closed leaves its place to the next`()
    {
        _ = demand(Self.first)
        _ = scheduler.handle(
            .claimed(Self.first, (1...4).map { Self.job($0, Self.first) }, asked: 4), now: now)
        let lane = LaneID(rawValue: 1)
        _ = scheduler.handle(.laneClosed(lane), now: now)
        #expect(demand(Self.first).isEmpty)
        let end = scheduler.handle(.ended(lane, JobID(rawValue: 1), .interrupted, spread: 0.5), now: now)
        #expect(end == [.claim(Self.first, count: 1)])
        let next = Self.job(5, Self.first)
        let start = scheduler.handle(.claimed(Self.first, [next], asked: 1), now: now)
        #expect(start == [.open(LaneID(rawValue: 5), Self.first), .start(next, LaneID(rawValue: 5))])
    }
}
