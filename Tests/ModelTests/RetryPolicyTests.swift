import Testing
import TransferModel

@Suite struct WhatAnOutcomeMeans {
    let policy = RetryPolicy(attempts: 10)
    let now = Timestamp(rawValue: 1_000_000)

    func ending(
        _ outcome: Outcome, of job: Job = .sample(), offset: Int = 0, unknown: UnknownOutcome = .hold
    ) -> Ending {
        let reached = RetryPolicy.Reached(
            start: .zero, offset: ByteCount(offset), limit: ByteCount(100), stage: .sending)
        return policy.ending(
            of: job, outcome: outcome, reached: reached, unknownOutcome: unknown, now: now, spread: 0.5)
    }

    @Test(arguments: zip(1...9, [30, 60, 120, 240, 480, 960, 1920, 3600, 3600]))
    func `the wait doubles from half a minute to an hour`(failures: Int, seconds: Int) {
        #expect(policy.delay(afterFailures: failures, spread: 0.5) == .seconds(seconds))
    }

    @Test(arguments: [(0.0, 22_500), (0.999, 37_485)])
    func `the spread moves the wait by a quarter at most`(spread: Double, milliseconds: Int) {
        #expect(policy.delay(afterFailures: 1, spread: spread) == .milliseconds(milliseconds))
    }

    @Test func `a failed try that got no further counts`() {
        let end = ending(
            .failed(Failure(.temporary, text: "451 local error")), of: .sample(highWater: 50), offset: 50)
        #expect(end.attempts == 1)
        #expect(end.state == .queued(retryAt: now + .seconds(30)))
    }

    @Test(arguments: Failure.Class.allCases, [Failure.Scope.job, .origin, .login])
    func `the first failure of a job that somebody waits for is its end`(
        failureClass: Failure.Class, scope: Failure.Scope
    ) {
        let failure = Failure(failureClass, scope: scope, text: "no")
        #expect(ending(.failed(failure), of: .remote(isQueued: false)).state == .failed(at: now))
    }

    @Test func `a remote job that waits like any other is tried again`() {
        let failure = Failure(.temporary, scope: .origin, text: "no")
        #expect(ending(.failed(failure), of: .remote(isQueued: true)).state == .queued(retryAt: nil))
    }

    @Test func `a failed try that got further than any before starts the count again`() {
        let end = ending(
            .failed(Failure(.temporary, text: "cut")), of: .sample(attempts: 9, highWater: 50), offset: 51)
        #expect(end.attempts == 0)
        #expect(end.state == .queued(retryAt: now + .seconds(30)))
    }

    @Test func `the tenth try in a row that reached the data and got no further is the last`() {
        let end = ending(
            .failed(Failure(.temporary, text: "cut")), of: .sample(attempts: 9, highWater: 50), offset: 50)
        #expect(end.state == .failed(at: now))
    }

    @Test func `a try that never reached the data ends no job, however many there were`() {
        let end = ending(.failed(Failure(.temporary, code: 503, text: "503")), of: .sample(attempts: 40))
        #expect(end.attempts == 41)
        #expect(end.state == .queued(retryAt: now + .seconds(3600)))
    }

    @Test func `an origin that cannot be reached costs its jobs no attempt`() {
        let end = ending(
            .failed(Failure(.temporary, scope: .origin, text: "refused")), of: .sample(attempts: 9))
        #expect(end.attempts == 9)
        #expect(end.state == .queued(retryAt: nil))
    }

    @Test func `a refused password leaves the job waiting`() {
        let end = ending(.failed(Failure(.permanent, scope: .login, code: 530, text: "530 Login incorrect.")))
        #expect(end.state == .queued(retryAt: nil))
    }

    @Test(arguments: [(UnknownOutcome.hold, "held"), (.retry, "queued")])
    func `an unknown outcome is what the policy says`(policy: UnknownOutcome, state: String) {
        let end = ending(.failed(Failure(.unknownOutcome, text: "no answer")), unknown: policy)
        #expect(end.state.name.rawValue == state)
    }

    @Test(arguments: [(3, 3), (120, 120), (2_000_000_000, 3600), (-5, 30)])
    func `what the server asks for is obeyed, clamped and never negative`(asked: Int, seconds: Int) {
        let failure = Failure(.temporary, code: 503, text: "busy", retryAfter: .seconds(asked))
        // Up to a sixteenth of a minute's wait more, so that not all come back at once.
        let spread = Duration.milliseconds(min(seconds, 60) * 1_000 / 16)
        let wait = Duration.seconds(seconds) + (asked > 0 ? spread : .zero)
        #expect(ending(.failed(failure)).state == .queued(retryAt: now + wait))
    }

    @Test func `one that asks for a little time again and again gets more, and the job is not given up`() {
        let failure = Failure(.temporary, code: 503, text: "busy", retryAfter: .seconds(1))
        for tries in [3, 9, 40] {
            let end = ending(.failed(failure), of: .sample(attempts: tries, highWater: 50), offset: 50)
            guard case .queued(let retryAt?) = end.state else {
                Issue.record("\(end.state)")
                continue
            }
            #expect(retryAt.since(now) >= .seconds(min(1 << tries, 512)), "\(tries)")
        }
    }

    @Test func `a local failure waits and counts no attempt`() {
        let end = ending(.failed(Failure(.local, code: 28, text: "no space left")), of: .sample(attempts: 9))
        #expect(end.attempts == 9)
        #expect(end.state == .queued(retryAt: now + .seconds(10)))
    }

    @Test func `done wins over a cancel that came too late`() {
        var job = Job.sample()
        job.request = .cancel
        #expect(ending(.arrived(.init(size: ByteCount(100))), of: job).state == .done(at: now))
    }

    @Test func `a cancel that came during a failing try ends the job`() {
        var job = Job.sample()
        job.request = .cancel
        #expect(ending(.failed(Failure(.temporary, text: "cut")), of: job).state == .cancelled(at: now))
    }

    @Test func `an interrupted job of which hold was asked is held`() {
        var job = Job.sample()
        job.request = .hold
        #expect(ending(.interrupted, of: job).state == .held(.byRequest))
        #expect(ending(.interrupted).state == .queued(retryAt: nil))
    }
}
