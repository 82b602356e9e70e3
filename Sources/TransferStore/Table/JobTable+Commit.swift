public import TransferModel

extension JobTable {
    /// Changes to a job that no longer is what they presuppose (a person with sqlite3 was there) do nothing. Admitting
    /// a job with an idempotency key that is known gives that job's number, so that a turn whose commit failed in an
    /// unknown way can be repeated.
    public func commit(_ turn: Turn, at now: Timestamp) throws(StoreError) -> Committed {
        guard !turn.isEmpty else { return Committed() }
        do {
            let committed = try write { () throws(SQLiteError) in
                try noticeOthers()
                var committed = Committed()
                for change in turn.changes { try record(change, at: now, in: &committed) }
                for id in claimed.unwritten { try writeDown(id) }
                if turn.sweeps { try sweep(at: now, in: &committed) }
                for claim in turn.claims { try carryOut(claim, at: now, in: &committed) }
                return committed
            }
            claimed.committed()
            return committed
        } catch {
            claimed.rolledBack()
            throw error
        }
    }

    /// What other programs have committed since the last turn may concern jobs that run.
    private func noticeOthers() throws(SQLiteError) {
        let version = try currentDataVersion()
        guard version != claimedVersion else { return }
        claimedVersion = version
        claimed.suspectAll()
    }

    private func record(
        _ change: JobChange, at now: Timestamp, in committed: inout Committed
    ) throws(SQLiteError) {
        switch change {
        case .admitted(let new): committed.admitted.append(try insert(Job(admitting: new)))
        case .renewed(let new): try renew(new)
        case .polled(let record): try remember(record)
        case .progressed(let id, let moved): try progress(id, moved)
        case .staged(let id, let stage, let checkpoint, let moved):
            try enter(stage, checkpoint, of: id, moved)
        case .ended(let id, let ending): try end(id, ending, at: now, in: &committed)
        case .started(let id, let time): try begin(id, at: time)
        case .returned(let id): try putBack(id, at: now)
        case .answered(let id, let state): try answer(id, state, at: now)
        case .troubled(let troubles): try replaceTroubles(with: troubles)
        case .disposed(let id, let description): try dispose(id, description)
        }
    }

    private func progress(_ id: JobID, _ moved: Advance) throws(SQLiteError) {
        guard var running = try running(id) else { return }
        running.move(moved)
        try note(running)
    }

    private func enter(
        _ stage: Stage, _ checkpoint: Checkpoint, of id: JobID, _ moved: Advance?
    ) throws(SQLiteError) {
        guard var running = try running(id) else { return }
        running.stage = stage
        running.checkpoint = checkpoint
        if let moved { running.move(moved) }
        try note(running)
    }

    private func end(
        _ id: JobID, _ ending: Ending, at now: Timestamp, in committed: inout Committed
    ) throws(SQLiteError) {
        guard let (running, row) = try takeRunning(id) else { return }
        var job = running
        job.end(ending)
        job.answerRequest(at: now)
        if try releases(job) { committed.hasReleased = true }
        try update(job, from: row)
        guard ending.state.name != .done else { return }
        try recordAttempt(
            of: running, from: ending.start, to: ending.offset, at: now, failure: ending.failure)
    }

    private static let selectPutOff = """
        SELECT id FROM jobs INDEXED BY jobs_put_off \
        WHERE kind = 'upload' AND state = 'queued' AND retry_at IS NOT NULL AND url = ?1 LIMIT 1
        """

    /// Whether another upload to the job's address waits for this end, which makes it due.
    private func releases(_ job: Job) throws(SQLiteError) -> Bool {
        guard job.kind == .upload, job.state.name != .queued else { return false }
        return try connection.number(Self.selectPutOff, .text(job.url.text)) != nil
    }

    private func begin(_ id: JobID, at now: Timestamp) throws(SQLiteError) {
        guard var job = try running(id), job.isAhead else { return }
        job.start(at: now)
        try note(job)
    }

    private func putBack(_ id: JobID, at now: Timestamp) throws(SQLiteError) {
        guard let (claimed, row) = try takeRunning(id) else { return }
        _ = try putBack(claimed, from: row, at: now)
    }

    /// A claimed job that has not begun waits again, unless something else was asked of it.
    func putBack(_ claimed: Job, from row: Job, at now: Timestamp) throws(SQLiteError) -> Job {
        var job = claimed
        job.putBack()
        job.answerRequest(at: now)
        try update(job, from: row)
        return job
    }

    private func answer(_ id: JobID, _ state: JobState?, at now: Timestamp) throws(SQLiteError) {
        try writeDown(id)
        guard let asked = try load(id) else { return }
        var job = asked
        job.request = nil
        if let state, job.state.name != .running { job.enter(state) }
        try update(job, from: asked)
    }

    private static let describeJob = "UPDATE jobs SET spec = ?2, source = ?3 WHERE id = ?1"
    private static let disposeJob = "UPDATE jobs SET disposed = 1 WHERE id = ?1 AND finished_at IS NOT NULL"

    /// A retry may have come before the disposal was recorded: the job has its files' new place, and is not disposed of.
    private func dispose(_ id: JobID, _ description: JobDescription?) throws(SQLiteError) {
        try writeDown(id)
        if let description {
            try connection.run(
                Self.describeJob, .integer(id.rawValue), .text(try description.json()),
                .blob(orNull: description.sources.first?.path.bytes))
        }
        try connection.run(Self.disposeJob, .integer(id.rawValue))
    }
}
