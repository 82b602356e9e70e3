internal import TransferModel

/// Claims seek: equality on origin and priority and a range on the due time, whatever waits beside.
extension JobTable {
    /// The most jobs that one claim or sweep ends as expired, and that one claim puts off, so that a turn stays short.
    static let expiriesInOneTurn = 1_000
    private static let waitsInOneTurn = 50

    func carryOut(
        _ claim: Turn.Claim, at now: Timestamp, in committed: inout Committed
    ) throws(SQLiteError) {
        var left = claim.count + claim.ahead
        var passed = 0
        var waits = 0
        var ceiling = Int64.max
        while left > 0, passed < Self.expiriesInOneTurn, waits < Self.waitsInOneTurn,
            let priority = try priority(of: claim.origin, upTo: ceiling)
        {
            let due = try dueJobs(of: claim.origin, priority, at: now, limit: left)
            for job in due where job.expiresAt > now {
                if try isBehindAnother(job, at: now) {
                    try putOff(job, at: now)
                    waits += 1
                } else {
                    committed.claimed.append(try start(job, at: now, ahead: left <= claim.ahead))
                    left -= 1
                }
            }
            for job in due where job.expiresAt <= now {
                committed.expired.append(try expire(job, at: now))
                passed += 1
            }
            // What is due left the index: the same priority is asked again until nothing of it is due.
            guard due.isEmpty else { continue }
            guard priority > Int64.min else { return }
            ceiling = priority - 1
        }
    }

    private static let selectPriority = """
        SELECT priority FROM jobs INDEXED BY jobs_claims \
        WHERE state = 'queued' AND origin = ?1 AND priority <= ?2 ORDER BY priority DESC LIMIT 1
        """

    /// The highest priority among an origin's queued jobs that is not above `ceiling`.
    private func priority(of origin: Origin, upTo ceiling: Int64) throws(SQLiteError) -> Int64? {
        try connection.number(Self.selectPriority, .text(origin.description), .integer(ceiling))
    }

    private static let selectDue = """
        SELECT \(JobColumn.selected) FROM jobs INDEXED BY jobs_claims \
        WHERE state = 'queued' AND origin = ?1 AND priority = ?2 AND due <= ?3 ORDER BY due, id LIMIT ?4
        """

    private func dueJobs(
        of origin: Origin, _ priority: Int64, at now: Timestamp, limit: Int
    ) throws(SQLiteError) -> [Job] {
        try connection.all(
            Self.selectDue,
            [.text(origin.description), .integer(priority), .integer(now.rawValue), .integer(limit)]
        ) { (row) throws(SQLiteError) in try Job(row: row) }
    }

    private func start(_ queued: Job, at now: Timestamp, ahead: Bool) throws(SQLiteError) -> Job {
        let queued = try completed(queued)
        var job = queued
        if try hasRates() { job.rate = try rate(of: job.id) }
        job.begin(at: now, ahead: ahead)
        try update(job, from: queued)
        claimed[job.id] = ClaimedJobs.Entry(job: job)
        return job
    }

    private static let selectAhead = """
        SELECT id FROM jobs INDEXED BY jobs_addresses \
        WHERE kind = 'upload' AND finished_at IS NULL AND url = ?1 AND id < ?2 \
        AND (state = 'running' OR state = 'queued' AND ifnull(not_before, 0) <= ?3) LIMIT 1
        """

    /// Whether an upload must wait for another one to the same address: of files that were dropped under one name the
    /// last one has to be there in the end, although several lanes carry them.
    private func isBehindAnother(_ job: Job, at now: Timestamp) throws(SQLiteError) -> Bool {
        guard job.kind == .upload else { return false }
        // A later one may run, too; it was claimed here.
        if claimed.hasUpload(to: job.url) { return true }
        return try connection.number(
            Self.selectAhead, .text(job.url.text), .integer(job.id.rawValue), .integer(now.rawValue))
            != nil
    }

    /// Puts the job off until the one ahead of it has ended, which makes it due; should that get lost, until it is
    /// looked at again.
    private func putOff(_ waiting: Job, at now: Timestamp) throws(SQLiteError) {
        var job = waiting
        job.enter(.queued(retryAt: now + longestBackOff))
        try update(job, from: waiting)
    }

    func expire(_ waiting: Job, at now: Timestamp) throws(SQLiteError) -> JobID {
        var job = waiting
        job.enter(.expired(at: now))
        try update(job, from: waiting)
        return job.id
    }
}
