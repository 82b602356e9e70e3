internal import TransferModel

/// The command `status` without `--watch`: one look at the table.
struct Status {
    let session: Session
    let query: StatusQuery

    func run() throws -> ExitStatus {
        let now = Clock.now()
        let listing = JobListing(query: query, store: session.store)
        let jobs = try listing.jobs(now: now)
        if query.json {
            for job in jobs { session.line(JobRecord(job, places: session.places).json) }
        } else {
            try printTable(jobs, now)
        }
        let missing = Set(query.ids).subtracting(jobs.map(\.id))
        session.output.flush()
        guard query.limit == nil, let first = missing.min() else { return .success }
        throw CommandError.usage(Sentences.unknown(first, among: missing.count))
    }

    private func printTable(_ jobs: [Job], _ now: Timestamp) throws {
        let width = session.output.isTerminal ? Terminal.size().columns : nil
        let lines = try jobs.map { job in
            JobLine(
                job, speed: try session.speed(of: job, now: now),
                behind: try session.predecessor(of: job, now: now), now: now)
        }
        for line in StatusTable(width: width).lines(lines) { session.output.line(line) }
        guard query.ids.isEmpty, query.route == nil, query.host == nil, query.states.isEmpty else { return }
        let troubles = try session.store.troubles().map { TroubleLine.text($0, now: now) }
        let counts = try session.store.counts()
        if !jobs.isEmpty { session.output.line("") }
        for line in troubles + [Summary.text(counts)] { session.output.line(line) }
        let hidden = (counts[.queued] ?? 0) - jobs.count { $0.state.name == .queued }
        if hidden > 0, !query.all {
            session.output.line("\(hidden) queued jobs are not shown; --limit N or --all shows more")
        }
    }
}

extension Session {
    /// How fast the running attempt of `job` has been so far.
    func speed(of job: Job, now: Timestamp) throws(StoreError) -> Speed? {
        guard job.state.name == .running, let attempt = try store.attempts(of: job.id).last else {
            return nil
        }
        return Speed(attempt, offset: job.offset, now: now)
    }

    /// The job that has to end before `job` starts. Who waits for another one has a time to start that only says when
    /// it is looked at again.
    func predecessor(of job: Job, now: Timestamp) throws(StoreError) -> JobID? {
        guard let retryAt = job.retryAt, retryAt > now else { return nil }
        return try store.predecessor(of: job, at: now)
    }
}
