/// What an attempt's end means to its job: the one place where outcomes become states.
public struct RetryPolicy: Hashable, Sendable {
    /// Tries in a row that reached the data and got no further, after which the job has failed.
    public var attempts: Int
    public var firstDelay: Duration = .seconds(30)
    public var longestDelay: Duration = .seconds(3600)
    /// How soon a job that failed on this machine (disk full) looks again; such tries are not counted.
    public var localDelay: Duration = .seconds(10)

    public init(attempts: Int = 10) { self.attempts = attempts }

    /// The wait after the `failures`-th failure in a row (from 1 on): 30 s · 2ⁿ⁻¹, at most an hour, times a factor from
    /// 0.75 to 1.25 that `spread` (0 ..< 1, a random number) chooses.
    ///
    /// With `spread` 0.5: 30 s, 1 min, 2 min, 4 min, 8 min, 16 min, 32 min, 1 h, 1 h …
    public func delay(afterFailures failures: Int, spread: Double) -> Duration {
        let doublings = min(max(failures - 1, 0), 20)
        let wait = min(firstDelay * (1 << doublings), longestDelay)
        return .milliseconds(Int64(Double(wait.wholeMilliseconds) * (0.75 + spread / 2)))
    }

    /// How the end of an attempt is recorded.
    ///
    /// `job` is the row as it was claimed, with what was asked of it since; `unknownOutcome` is the policy that holds
    /// for it.
    public func ending(
        of job: Job, outcome: Outcome, reached: Reached, unknownOutcome: UnknownOutcome, now: Timestamp,
        spread: Double
    ) -> Ending {
        var ending = Ending(
            state: .done(at: now), attempts: job.attempts, start: reached.start, offset: reached.offset,
            limit: reached.limit, missing: reached.missing, stage: reached.stage)
        switch outcome {
        case .arrived(let arrival):
            ending.offset = arrival.size
            ending.limit = arrival.size
            ending.missing = []
            ending.reply = arrival.reply
            ending.digest = arrival.digest
        case .interrupted:
            ending.state = job.request == .hold ? .held(.byRequest) : .queued(retryAt: nil)
        case .cancelled:
            ending.state = .cancelled(at: now)
        case .failed(let failure):
            ending.failure = failure
            ending.reply = failure.reply
            apply(failure, to: &ending, of: job, unknownOutcome: unknownOutcome, now: now, spread: spread)
            honour(job.request, in: &ending, now: now)
        }
        return ending
    }

    /// How far an attempt came: `start ..< offset` of `limit`, and its stage.
    public struct Reached: Hashable, Sendable {
        public var start: ByteCount
        public var offset: ByteCount
        public var limit: ByteCount?
        /// As in ``Advance/missing``.
        public var missing: [Window]
        public var stage: Stage

        public init(
            start: ByteCount, offset: ByteCount, limit: ByteCount?, missing: [Window] = [], stage: Stage
        ) {
            self.start = start
            self.offset = offset
            self.limit = limit
            self.missing = missing
            self.stage = stage
        }

        /// What a running attempt's progress says.
        public init(_ advance: Advance, stage: Stage) {
            self.init(
                start: advance.start, offset: advance.offset, limit: advance.limit, missing: advance.missing,
                stage: stage)
        }
    }

    private func apply(
        _ failure: Failure, to ending: inout Ending, of job: Job, unknownOutcome: UnknownOutcome,
        now: Timestamp,
        spread: Double
    ) {
        // Whoever waits for the answer decides what comes next.
        guard !job.description.isWaitedFor else {
            ending.state = .failed(at: now)
            return
        }
        switch (failure.class, failure.scope) {
        case (_, .origin), (_, .login):
            ending.state = .queued(retryAt: nil)
        // The next poll is the next try.
        case (_, .job) where job.description.isPoll, (.permanent, .job):
            ending.state = .failed(at: now)
        case (.unknownOutcome, .job):
            switch unknownOutcome {
            case .hold: ending.state = .held(.unknownOutcome)
            case .retry:
                ending.stage = .sending
                count(failure, in: &ending, of: job, now: now, spread: spread)
            }
        case (.local, .job):
            ending.state = .queued(retryAt: now + wait(localDelay, spread))
        case (.temporary, .job):
            count(failure, in: &ending, of: job, now: now, spread: spread)
        }
    }

    /// A try that got further than any before starts the count again; one that moved no byte makes the wait longer, but
    /// does not end the job: a server that is out of order over a weekend loses nothing.
    private func count(
        _ failure: Failure, in ending: inout Ending, of job: Job, now: Timestamp, spread: Double
    ) {
        ending.attempts = ending.offset > job.highWater ? 0 : job.attempts + 1
        let movedData = ending.offset > ending.start
        if let asked = failure.retryAfter, asked > .zero {
            ending.attempts = min(ending.attempts, max(0, attempts - 1))
            ending.state = .queued(
                retryAt: now + self.wait(asked: asked, tries: job.attempts + 1, spread: spread))
            return
        }
        guard ending.attempts < attempts || !movedData else {
            ending.state = .failed(at: now)
            return
        }
        ending.state = .queued(retryAt: now + delay(afterFailures: ending.attempts, spread: spread))
    }

    /// A server that says when it wants to be asked again is asked then, and the job's end is only its expiry. One that
    /// says so again and again waits longer: at least 1 s · 2ⁿ⁻¹; and nobody is obeyed for more than an hour.
    private func wait(asked: Duration, tries: Int, spread: Double) -> Duration {
        let least = Duration.seconds(1 << min(max(tries - 1, 0), 12))
        let wait = min(max(asked, least), longestDelay)
        // Not all that were sent away at once come back at once.
        return wait + .milliseconds(Int64(Double(min(wait, .seconds(60)).wholeMilliseconds) * spread / 8))
    }

    private func wait(_ base: Duration, _ spread: Double) -> Duration {
        .milliseconds(Int64(Double(base.wholeMilliseconds) * (0.75 + spread / 2)))
    }

    /// A request that came while the job ran holds for a job that goes on: cancelled or held instead of queued.
    private func honour(_ request: JobRequest?, in ending: inout Ending, now: Timestamp) {
        guard case .queued = ending.state else { return }
        switch request {
        case .cancel: ending.state = .cancelled(at: now)
        case .hold: ending.state = .held(.byRequest)
        case .release, .retry, nil: break
        }
    }
}
