import Testing
import TransferModel

/// Small jobs are claimed before a lane is free for them.
@Suite struct ClaimsAhead {
    static let origin = Origin(scheme: .ftp, host: "a")
    static let other = Origin(scheme: .ftp, host: "b")

    var scheduler = Scheduler(limits: .init(total: 2, perOrigin: { _ in 2 }))
    let now = MonotonicTime(rawValue: .seconds(100))

    static func job(_ id: Int64, bytes: Int = 4_096, ahead: Bool = false) -> Job {
        var job = Job.sample(id: id, url: "ftp://a/x")
        job.limit = ByteCount(bytes)
        job.isAhead = ahead
        return job
    }

    mutating func demand(_ origin: Origin) -> [Scheduler.Action] {
        scheduler.handle(.demanded([.init(origin: origin, due: now)]), now: now)
    }

    mutating func end(_ id: Int64, lane: Int, _ outcome: Outcome = .arrived(.init(size: .zero)))
        -> [Scheduler.Action]
    {
        scheduler.handle(.ended(LaneID(rawValue: lane), JobID(rawValue: id), outcome, spread: 0.5), now: now)
    }

    /// Jobs 1 and 2 run on lanes 1 and 2, 3 and 4 wait.
    mutating func fill(bytes: Int = 4_096) -> [Scheduler.Action] {
        _ = demand(Self.origin)
        let jobs = [Self.job(1, bytes: bytes), Self.job(2, bytes: bytes)]
        return scheduler.handle(.claimed(Self.origin, jobs, asked: 2), now: now)
    }

    mutating func fillAhead() -> [Scheduler.Action] {
        _ = fill()
        let jobs = [Self.job(3, ahead: true), Self.job(4, ahead: true)]
        return scheduler.handle(.claimed(Self.origin, jobs, asked: 0, ahead: 2), now: now)
    }

    @Test mutating func `when all lanes carry small jobs as many are claimed ahead`() {
        #expect(fill().last == .claim(Self.origin, count: 0, ahead: 2))
        #expect(scheduler.handle(.clock, now: now).isEmpty)
    }

    @Test mutating func `behind a large job nothing is claimed ahead`() {
        #expect(fill(bytes: 2 << 20).count == 4)
    }

    @Test(arguments: [(4_096, true), (2 << 20, false)])
    mutating func `jobs whose size nobody knows are taken for small after small ones`(
        size: Int, isSmall: Bool
    ) {
        func unknown(_ id: Int64) -> Job {
            var job = Self.job(id)
            job.limit = nil
            return job
        }
        _ = demand(Self.origin)
        let first = [unknown(1), unknown(2)]
        #expect(scheduler.handle(.claimed(Self.origin, first, asked: 2), now: now).count == 4)
        for id in 1...2 as ClosedRange<Int64> {
            #expect(
                end(id, lane: Int(id), .arrived(.init(size: ByteCount(size)))) == [
                    .claim(Self.origin, count: 1)
                ])
        }
        let next = [unknown(3), unknown(4)]
        let actions = scheduler.handle(.claimed(Self.origin, next, asked: 2), now: now)
        #expect(actions.last == .claim(Self.origin, count: 0, ahead: 2) || !isSmall)
        #expect(actions.count == (isSmall ? 3 : 2))
    }

    @Test mutating func `a lane that is free takes a waiting job at once`() {
        #expect(fillAhead().isEmpty)
        #expect(scheduler.isWaiting(JobID(rawValue: 3)))
        #expect(
            end(1, lane: 1) == [
                .start(Self.job(3, ahead: true), LaneID(rawValue: 1)),
                .claim(Self.origin, count: 0, ahead: 1),
            ])
        #expect(!scheduler.isWaiting(JobID(rawValue: 3)))
    }

    @Test mutating func `waiting jobs go back when their origin is away`() {
        _ = fillAhead()
        let failure = Failure(.temporary, scope: .origin, curl: 7, text: "refused")
        let actions = end(1, lane: 1, .failed(failure))
        let back = actions.filter { if case .giveBack = $0 { true } else { false } }
        #expect(back == [3, 4].map { .giveBack(Self.job($0, ahead: true)) })
        #expect(!scheduler.isWaiting(JobID(rawValue: 4)))
    }

    @Test(arguments: [JobRequest.cancel, .hold])
    mutating func `what is asked of a waiting job has it given back`(request: JobRequest) {
        _ = fillAhead()
        let actions = scheduler.handle(.asked(request, JobID(rawValue: 4)), now: now)
        #expect(actions.first == .giveBack(Self.job(4, ahead: true)))
        #expect(!scheduler.isWaiting(JobID(rawValue: 4)))
    }

    @Test mutating func `waiting jobs make room for another origin when there are not enough lanes for both`()
    {
        _ = fillAhead()
        _ = scheduler.handle(.due(Self.other, now), now: now)
        #expect(
            end(1, lane: 1) == [
                .giveBack(Self.job(3, ahead: true)), .giveBack(Self.job(4, ahead: true)),
                .claim(Self.other, count: 1),
            ])
    }

    @Test mutating func `waiting jobs go back when the daemon stops, and those that come then`() {
        _ = fillAhead()
        let actions = scheduler.handle(.stopping, now: now)
        #expect(
            actions.prefix(2) == [.giveBack(Self.job(3, ahead: true)), .giveBack(Self.job(4, ahead: true))])
        let late = Self.job(5, ahead: true)
        #expect(
            scheduler.handle(.claimed(Self.origin, [late], asked: 0, ahead: 2), now: now) == [.giveBack(late)]
        )
    }

    @Test mutating func `after a crash nothing is claimed ahead for some time`() {
        scheduler.claimNothingAhead(until: now + .seconds(60))
        #expect(fill().count == 4)
        let later = now + .seconds(60)
        #expect(scheduler.handle(.clock, now: later) == [.claim(Self.origin, count: 0, ahead: 2)])
    }
}
