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
        case .progressed(let id, let start, let offset, let limit):
            try progress(id, start: start, offset: offset, limit: limit)
        case .staged(let id, let stage, let checkpoint): try enter(stage, checkpoint, of: id)
        case .ended(let id, let ending): try end(id, ending, at: now)
        case .returned(let id): try putBack(id, at: now)
        case .answered(let id, let state): try answer(id, state, at: now)
        case .disposed(let id, let description): try dispose(id, description)
        }
    }

    private static let moveJob = """
        UPDATE jobs SET "offset" = ?2, "limit" = ?3, start_offset = ?4 WHERE id = ?1 AND state = 'running'
        """

    private func progress(
        _ id: JobID, start: ByteCount, offset: ByteCount, limit: ByteCount?
    ) throws(SQLiteError) {
        try connection.run(
            Self.moveJob, .integer(id.rawValue), .integer(offset.rawValue), .integer(orNull: limit?.rawValue),
            .integer(start.rawValue))
        claimed[id]?.startOffset = start
        claimed[id]?.offset = offset
        claimed[id]?.limit = limit
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

    private func end(_ id: JobID, _ ending: Ending, at now: Timestamp) throws(SQLiteError) {
        guard let running = try loadRunning(id) else { return }
        var job = running
        job.end(ending)
        job.answerRequest(at: now)
        try update(job, from: running)
        guard ending.state.name != .done else { return }
        try recordAttempt(
            of: running, from: ending.start, to: ending.offset, at: now, failure: ending.failure)
    }

    private func putBack(_ id: JobID, at now: Timestamp) throws(SQLiteError) {
        guard let claimed = try loadRunning(id) else { return }
        var job = claimed
        job.putBack()
        job.answerRequest(at: now)
        try update(job, from: claimed)
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
