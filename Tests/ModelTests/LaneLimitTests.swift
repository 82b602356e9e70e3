import Testing
import TransferModel

/// A scheduler with one origin whose server lets in as many lanes as it likes.
private struct CrowdedServer {
    var scheduler = Scheduler(limits: .init(total: 16, perOrigin: { _ in 8 }))
    let origin = Origin(scheme: .ftp, host: "a")
    /// Lanes that the server lets in.
    var most: Int
    var now = MonotonicTime(rawValue: .seconds(1_000))
    /// Jobs still to be done, running jobs on their lanes, lanes that are logged in.
    var waiting: Int
    var running: [(job: JobID, lane: LaneID)] = []
    var loggedIn: Set<LaneID> = []
    var tries = 0
    var refusals = 0
    var done = 0
    var notices: [String] = []
    private var nextJob: Int64 = 1

    init(most: Int, jobs: Int) {
        self.most = most
        waiting = jobs
    }

    static let full = {
        var failure = Failure(.temporary, scope: .origin, code: 421, text: "There are too many connections")
        failure.isCrowded = true
        return failure
    }()

    mutating func handle(_ event: Scheduler.Event) {
        var events = [event]
        while !events.isEmpty {
            for action in scheduler.handle(events.removeFirst(), now: now) {
                switch action {
                case .claim(let origin, let count, _):
                    events.append(.claimed(origin, claim(count), asked: count))
                case .start(let job, let lane): running.append((job.id, lane))
                case .close(let lane): loggedIn.remove(lane)
                case .giveBack: waiting += 1
                case .notice(_, let text): notices.append(text)
                case .open, .join, .cancel, .interrupt: break
                }
            }
        }
    }

    private mutating func claim(_ count: Int) -> [Job] {
        let taken = min(count, waiting)
        waiting -= taken
        return (0..<taken).map { _ in
            defer { nextJob += 1 }
            return .sample(id: nextJob, url: "ftp://a/x")
        }
    }

    mutating func demand() { handle(.demanded([.init(origin: origin, due: now)])) }

    /// The oldest running job gets its lane's login, if it needs one, and is done or refused.
    mutating func finishOne() {
        guard !running.isEmpty else { return }
        let (job, lane) = running.removeFirst()
        var outcome = Outcome.arrived(.init(size: .zero))
        if !loggedIn.contains(lane) {
            tries += 1
            if loggedIn.count < most { loggedIn.insert(lane) } else { outcome = .failed(Self.full) }
        }
        if case .failed = outcome {
            refusals += 1
            waiting += 1
        } else {
            done += 1
        }
        handle(.ended(lane, job, outcome, spread: 0.5))
    }

    mutating func pass(_ time: Duration) {
        now = now + time
        handle(.clock)
    }
}

@Suite struct `Servers that let few in` {
    @Test func `a server that allows two of eight gets everything with six refused logins, said once`() {
        var server = CrowdedServer(most: 2, jobs: 100)
        server.demand()
        for _ in 0..<200 { server.finishOne() }
        #expect(server.done == 100)
        #expect(server.tries == 8)
        #expect(server.refusals == 6)
        #expect(server.notices.count == 1, "\(server.notices)")
    }

    @Test func `a limit is raised one at a time, and each refusal doubles the wait for the next try`() {
        var server = CrowdedServer(most: 2, jobs: 1_000_000)
        server.demand()
        for _ in 0..<20 { server.finishOne() }
        #expect(server.refusals == 6)
        var refused: [Int] = []
        for minute in 1...70 {
            server.pass(.seconds(60))
            for _ in 0..<10 { server.finishOne() }
            if server.refusals > 6 + refused.count { refused.append(minute) }
        }
        #expect(refused == [1, 3, 7, 15, 31, 63])
        #expect(server.notices.count == 1)
    }

    @Test func `a server that lets more in again is used with all lanes again`() {
        var server = CrowdedServer(most: 2, jobs: 1_000_000)
        server.demand()
        for _ in 0..<20 { server.finishOne() }
        server.most = 8
        for _ in 0..<6 {
            server.pass(.seconds(60))
            for _ in 0..<10 { server.finishOne() }
        }
        #expect(server.running.count == 8)
    }

    @Test func `a full server that lets nobody in is asked by one at a time, every five minutes at least`() {
        var server = CrowdedServer(most: 0, jobs: 10)
        server.demand()
        for _ in 0..<20 { server.finishOne() }
        #expect(server.tries == 8)
        for _ in 0..<60 {
            server.pass(.seconds(60))
            for _ in 0..<3 { server.finishOne() }
        }
        #expect((20...25).contains(server.tries), "\(server.tries)")
        server.most = 1
        server.pass(.seconds(400))
        for _ in 0..<30 { server.finishOne() }
        #expect(server.done == 10)
    }

    @Test func `a lane that loses its place in the middle lowers the limit`() {
        var server = CrowdedServer(most: 8, jobs: 100)
        server.demand()
        for _ in 0..<8 { server.finishOne() }
        let (job, lane) = server.running.removeLast()
        server.handle(.ended(lane, job, .failed(CrowdedServer.full), spread: 0.5))
        for _ in 0..<20 { server.finishOne() }
        #expect(server.running.count == 7)
    }

    @Test func `lanes of another login that only wait give way to one that is refused`() {
        var scheduler = Scheduler(limits: .init(total: 8, perOrigin: { _ in 1 }))
        let now = MonotonicTime(rawValue: .seconds(10))
        let first = Origin(scheme: .ftp, host: "a", user: "x")
        let second = Origin(scheme: .ftp, host: "a", user: "y")
        let lane = LaneID(rawValue: 1)
        _ = scheduler.handle(.demanded([.init(origin: first, due: now)]), now: now)
        _ = scheduler.handle(.claimed(first, [.sample(id: 1, url: "ftp://x@a/1")], asked: 1), now: now)
        _ = scheduler.handle(
            .ended(lane, JobID(rawValue: 1), .arrived(.init(size: .zero)), spread: 0.5), now: now)
        _ = scheduler.handle(.demanded([.init(origin: second, due: now)]), now: now)
        _ = scheduler.handle(.claimed(second, [.sample(id: 2, url: "ftp://y@a/1")], asked: 1), now: now)
        let actions = scheduler.handle(
            .ended(LaneID(rawValue: 2), JobID(rawValue: 2), .failed(CrowdedServer.full), spread: 0.5),
            now: now)
        #expect(actions.contains(.close(lane)))
        let again = scheduler.handle(.clock, now: now + .seconds(1))
        #expect(again.contains(.claim(second, count: 1)))
    }

    @Test func `a refused password stops those that are logging in, and other logins go on`() {
        var scheduler = Scheduler(limits: .init(total: 8, perOrigin: { _ in 4 }))
        let now = MonotonicTime(rawValue: .seconds(10))
        let origin = Origin(scheme: .ftp, host: "a", user: "x")
        let other = Origin(scheme: .ftp, host: "a", user: "y")
        _ = scheduler.handle(.demanded([.init(origin: origin, due: now)]), now: now)
        let jobs = (1...3).map { Job.sample(id: $0, url: "ftp://x@a/1") }
        _ = scheduler.handle(.claimed(origin, jobs, asked: 4), now: now)
        let refused = Failure(.permanent, scope: .login, code: 530, text: "Login incorrect.")
        let actions = scheduler.handle(
            .ended(LaneID(rawValue: 1), JobID(rawValue: 1), .failed(refused), spread: 0.5), now: now)
        let interrupted = actions.filter { if case .interrupt = $0 { true } else { false } }
        #expect(interrupted.count == 2)
        let demand = scheduler.handle(.demanded([.init(origin: other, due: now)]), now: now)
        #expect(demand == [.claim(other, count: 4)])
        let troubles = scheduler.troubles { Timestamp(rawValue: $0.rawValue.wholeMilliseconds) }
        #expect(troubles == [OriginTrouble(origin: origin, effect: .stopped, text: "Login incorrect.")])
    }

    @Test func `an origin that is away or crowded is told of until a job arrives there`() {
        var scheduler = Scheduler(limits: .init(total: 8, perOrigin: { _ in 4 }))
        let now = MonotonicTime(rawValue: .seconds(10))
        let wall = { (time: MonotonicTime) in Timestamp(rawValue: time.rawValue.wholeMilliseconds) }
        let origin = Origin(scheme: .ftp, host: "a")
        _ = scheduler.handle(.demanded([.init(origin: origin, due: now)]), now: now)
        _ = scheduler.handle(
            .claimed(origin, [.sample(id: 1, url: "ftp://a/1"), .sample(id: 2, url: "ftp://a/2")], asked: 4),
            now: now)
        #expect(scheduler.troubles(wall: wall).isEmpty)
        let full = CrowdedServer.full
        _ = scheduler.handle(
            .ended(LaneID(rawValue: 2), JobID(rawValue: 2), .failed(full), spread: 0), now: now)
        #expect(
            scheduler.troubles(wall: wall)
                == [OriginTrouble(origin: origin, effect: .limited(lanes: 1), text: full.text)])
        let away = Failure(.temporary, scope: .origin, curl: 7, text: "no route to host")
        _ = scheduler.handle(
            .ended(LaneID(rawValue: 1), JobID(rawValue: 1), .failed(away), spread: 0), now: now)
        let troubles = scheduler.troubles(wall: wall)
        #expect(troubles.map(\.text) == ["no route to host"])
        guard case .backedOff(let until)? = troubles.first?.effect else {
            Issue.record("\(troubles)")
            return
        }
        #expect(until > wall(now))
        // With its last job goes the reason to tell of it, and comes back with the next one.
        _ = scheduler.handle(.demanded([]), now: now)
        #expect(scheduler.troubles(wall: wall).isEmpty)
        _ = scheduler.handle(.demanded([.init(origin: origin, due: now)]), now: now)
        #expect(scheduler.troubles(wall: wall).map(\.text) == ["no route to host"])
    }
}
