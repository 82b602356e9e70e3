import Testing
import TransferModel

@Suite struct `Lanes that take part in jobs of others` {
    static let origin = Origin(scheme: .https, host: "a")
    static let other = Origin(scheme: .https, host: "b")

    var scheduler = Scheduler(limits: .init(total: 6, perOrigin: { _ in 4 }))
    let now = time(100)

    static func time(_ seconds: Int) -> MonotonicTime { MonotonicTime(rawValue: .seconds(seconds)) }
    static func lane(_ number: Int) -> LaneID { LaneID(rawValue: number) }
    static func id(_ number: Int64) -> JobID { JobID(rawValue: number) }
    static func job(_ id: Int64, _ origin: Origin = origin) -> Job {
        .sample(id: id, url: "https://\(origin.host)/x")
    }

    /// Job 1 runs on lane 1 and nothing else is due.
    mutating func begin() {
        _ = scheduler.handle(.demanded([.init(origin: Self.origin, due: now)]), now: now)
        _ = scheduler.handle(.claimed(Self.origin, [Self.job(1)], asked: 4), now: now)
    }

    mutating func divide(_ lanes: Int) -> [Scheduler.Action] {
        scheduler.handle(.divisible(Self.id(1), lanes: [Self.origin: lanes]), now: now)
    }

    mutating func demand(_ origin: Origin) -> [Scheduler.Action] {
        scheduler.handle(.due(origin, now), now: now)
    }

    @Test mutating func `as many join as the origin may have lanes`() {
        begin()
        let joins = divide(7).filter { if case .join = $0 { true } else { false } }
        #expect(joins == [2, 3, 4].map { .join(Self.id(1), Self.lane($0)) })
        let step1 = divide(7)
        #expect(step1.isEmpty)
    }

    @Test mutating func `no more join than the job can use`() {
        begin()
        let step2 = divide(1)
        #expect(step2 == [.open(Self.lane(2), Self.origin), .join(Self.id(1), Self.lane(2))])
    }

    @Test mutating func `lanes to several origins take part, each as many as wanted, until the job is over`()
    {
        begin()
        let joins = scheduler.handle(
            .divisible(Self.id(1), lanes: [Self.origin: 1, Self.other: 2]), now: now)
        #expect(
            joins == [
                .open(Self.lane(2), Self.origin), .join(Self.id(1), Self.lane(2)),
                .open(Self.lane(3), Self.other), .join(Self.id(1), Self.lane(3)),
                .open(Self.lane(4), Self.other), .join(Self.id(1), Self.lane(4)),
            ])
        let arrived = Outcome.arrived(Outcome.Arrival(size: .zero))
        let ended = scheduler.handle(.ended(Self.lane(1), Self.id(1), arrived, spread: 0), now: now)
        #expect(ended == [2, 3, 4].map { .interrupt(Self.lane($0), Self.id(1)) })
    }

    @Test mutating func `an origin that is left out is not asked any more`() {
        begin()
        _ = scheduler.handle(.divisible(Self.id(1), lanes: [Self.other: 1]), now: now)
        _ = scheduler.handle(.divisible(Self.id(1), lanes: [:]), now: now)
        let parted = scheduler.handle(.parted(Self.lane(2), Self.id(1), nil), now: now)
        #expect(parted.isEmpty)
    }

    @Test(arguments: [
        (8, [4, 4], [4, 4]), (4, [4, 4, 4], [2, 1, 1]), (8, [2, 1], [2, 1]), (3, [1, 4], [1, 2]), (5, [], []),
    ])
    func `connections are spread over servers in turn`(count: Int, lanes: [Int], expected: [Int]) {
        #expect(SegmentWish.spread(count, over: lanes) == expected)
    }

    @Test mutating func `a due job of the origin gets a lane back, one at a time`() {
        begin()
        _ = divide(7)
        let step3 = demand(Self.origin)
        #expect(step3 == [.interrupt(Self.lane(4), Self.id(1))])
        let step4 = demand(Self.origin)
        #expect(step4.isEmpty)
        let parted = scheduler.handle(.parted(Self.lane(4), Self.id(1), nil), now: now)
        #expect(parted == [.claim(Self.origin, count: 1)])
        let started = scheduler.handle(.claimed(Self.origin, [Self.job(2)], asked: 1), now: now)
        #expect(started == [.start(Self.job(2), Self.lane(4)), .interrupt(Self.lane(3), Self.id(1))])
    }

    @Test mutating func `a lane joins again when nothing is due any more`() {
        begin()
        _ = divide(3)
        _ = demand(Self.origin)
        _ = scheduler.handle(.parted(Self.lane(4), Self.id(1), nil), now: now)
        let actions = scheduler.handle(.claimed(Self.origin, [], asked: 1), now: now)
        #expect(actions == [.join(Self.id(1), Self.lane(4))])
    }

    @Test mutating func `an origin without a lane gets one where all are in use`() {
        scheduler = Scheduler(limits: .init(total: 4, perOrigin: { _ in 4 }))
        begin()
        _ = divide(7)
        let step5 = demand(Self.other)
        #expect(step5 == [.interrupt(Self.lane(4), Self.id(1))])
        let actions = scheduler.handle(.parted(Self.lane(4), Self.id(1), nil), now: now)
        #expect(actions.contains(.claim(Self.other, count: 1)))
        #expect(!actions.contains { if case .join = $0 { true } else { false } })
    }

    @Test mutating func `the end of the job calls everybody back`() {
        begin()
        _ = divide(2)
        let actions = scheduler.handle(
            .ended(Self.lane(1), Self.id(1), .arrived(.init(size: .zero)), spread: 0.5), now: now)
        #expect(actions == [.interrupt(Self.lane(2), Self.id(1)), .interrupt(Self.lane(3), Self.id(1))])
    }

    @Test mutating func `a stop calls everybody back`() {
        begin()
        _ = divide(2)
        let actions = scheduler.handle(.stopping, now: now)
        #expect(actions.count == 3)
        let step6 = scheduler.handle(.parted(Self.lane(2), Self.id(1), nil), now: now)
        #expect(step6.isEmpty)
    }

    @Test mutating func `a server that lets no more in lowers the origin's lanes`() {
        begin()
        _ = divide(7)
        var crowded = Failure(.temporary, scope: .origin, code: 503, text: "too many")
        crowded.isCrowded = true
        _ = scheduler.handle(.parted(Self.lane(4), Self.id(1), crowded), now: now)
        let step7 = divide(7)
        #expect(step7.isEmpty)
    }

    @Test mutating func `a lane whose connection failed is not sent again before the job asks`() {
        begin()
        _ = divide(2)
        let failure = Failure(.temporary, curl: 56, text: "reset")
        let step8 = scheduler.handle(.parted(Self.lane(3), Self.id(1), failure), now: now)
        #expect(step8.isEmpty)
        let step9 = divide(2)
        #expect(step9 == [.join(Self.id(1), Self.lane(3))])
    }

    @Test mutating func `a lane that found nothing to do is not sent again before the job asks`() {
        begin()
        _ = divide(2)
        #expect(scheduler.handle(.parted(Self.lane(3), Self.id(1), nil), now: now).isEmpty)
        #expect(divide(2) == [.join(Self.id(1), Self.lane(3))])
    }

    @Test mutating func `a job due later wakes the scheduler although lanes take part`() {
        begin()
        _ = divide(7)
        _ = scheduler.handle(.due(Self.origin, Self.time(110)), now: now)
        #expect(scheduler.nextDeadline == Self.time(110))
        let step10 = scheduler.handle(.clock, now: Self.time(110))
        #expect(step10 == [.interrupt(Self.lane(4), Self.id(1))])
        #expect(scheduler.nextDeadline == nil)
    }
}
