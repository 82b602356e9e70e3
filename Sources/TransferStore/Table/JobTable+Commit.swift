public import TransferModel

extension JobTable {
    /// Changes to a job that no longer is what they presuppose (a person with sqlite3 was there) do nothing. Admitting
    /// a job with an idempotency key that is known gives that job's number, so that a turn whose commit failed in an
    /// unknown way can be repeated.
    public func commit(_ turn: Turn, at now: Timestamp) throws(StoreError) -> Committed {
        guard !turn.isEmpty else { return Committed() }
        let before = claimed
        do {
            return try write { () throws(SQLiteError) in
                var committed = Committed()
                for change in turn.changes { try record(change, at: now, in: &committed) }
                if turn.sweeps { try sweep(at: now, in: &committed) }
                for claim in turn.claims { try carryOut(claim, at: now, in: &committed) }
                return committed
            }
        } catch {
            claimed = before
            throw error
        }
    }

    private func record(
        _ change: JobChange, at now: Timestamp, in committed: inout Committed
    ) throws(SQLiteError) {
        switch change {
        case .admitted(let new): committed.admitted.append(try insert(Job(admitting: new)))
        case .progressed(let id, let moved): try progress(id, moved)
        case .staged(let id, let stage, let checkpoint, nil): try enter(stage, checkpoint, of: id)
        case .staged(let id, let stage, let checkpoint, let moved?):
            try enter(stage, checkpoint, of: id, moved)
        case .ended(let id, let ending): try end(id, ending, at: now, in: &committed)
        case .started(let id): try begin(id, at: now)
        case .returned(let id): try putBack(id, at: now)
        case .answered(let id, let state): try answer(id, state, at: now)
        case .disposed(let id, let description): try dispose(id, description)
        }
    }

    private static let moveJob = """
        UPDATE jobs SET "offset" = ?2, "limit" = ?3, start_offset = ?4 WHERE id = ?1 AND state = 'running'
        """

    private func progress(_ id: JobID, _ moved: Advance) throws(SQLiteError) {
        try connection.run(
            Self.moveJob, .integer(id.rawValue), .integer(moved.offset.rawValue),
            .integer(orNull: moved.limit?.rawValue), .integer(moved.start.rawValue))
        try write(segments: moved.missing, of: id, known: claimed[id]?.missing)
        claimed[id]?.move(moved)
    }

    private static let stageJob =
        "UPDATE jobs SET stage = ?2, checkpoint = ?3 WHERE id = ?1 AND state = 'running'"

    private func enter(_ stage: Stage, _ checkpoint: Checkpoint, of id: JobID) throws(SQLiteError) {
        try connection.run(
            Self.stageJob, .integer(id.rawValue), .text(stage.rawValue),
            .text(orNull: try checkpoint.json()))
        claimed[id]?.stage = stage
        claimed[id]?.checkpoint = checkpoint
    }

    private static let stageMovedJob = """
        UPDATE jobs SET stage = ?2, checkpoint = ?3, "offset" = ?4, "limit" = ?5, start_offset = ?6 \
        WHERE id = ?1 AND state = 'running'
        """

    private func enter(
        _ stage: Stage, _ checkpoint: Checkpoint, of id: JobID, _ moved: Advance
    ) throws(SQLiteError) {
        try connection.run(
            Self.stageMovedJob, .integer(id.rawValue), .text(stage.rawValue),
            .text(orNull: try checkpoint.json()), .integer(moved.offset.rawValue),
            .integer(orNull: moved.limit?.rawValue), .integer(moved.start.rawValue))
        try write(segments: moved.missing, of: id, known: claimed[id]?.missing)
        claimed[id]?.stage = stage
        claimed[id]?.checkpoint = checkpoint
        claimed[id]?.move(moved)
    }

    private func end(
        _ id: JobID, _ ending: Ending, at now: Timestamp, in committed: inout Committed
    ) throws(SQLiteError) {
        guard let running = try loadRunning(id) else { return }
        var job = running
        job.end(ending)
        job.answerRequest(at: now)
        if try releases(job) { committed.hasReleased = true }
        try update(job, from: running)
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
        return try connection.number(Self.selectPutOff, .text(job.url.description)) != nil
    }

    private func begin(_ id: JobID, at now: Timestamp) throws(SQLiteError) {
        guard let waiting = try claimed(id), waiting.isAhead else { return }
        var job = waiting
        job.start(at: now)
        try update(job, from: waiting)
        claimed[id] = job
    }

    private func putBack(_ id: JobID, at now: Timestamp) throws(SQLiteError) {
        guard let claimed = try loadRunning(id) else { return }
        _ = try putBack(claimed, at: now)
    }

    /// A claimed job that has not begun waits again, unless something else was asked of it.
    func putBack(_ claimed: Job, at now: Timestamp) throws(SQLiteError) -> Job {
        var job = claimed
        job.putBack()
        job.answerRequest(at: now)
        try update(job, from: claimed)
        return job
    }

    private func answer(_ id: JobID, _ state: JobState?, at now: Timestamp) throws(SQLiteError) {
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
        if let description {
            try connection.run(
                Self.describeJob, .integer(id.rawValue), .text(try description.json()),
                .blob(orNull: description.sources.first?.path.bytes))
        }
        try connection.run(Self.disposeJob, .integer(id.rawValue))
    }
}
