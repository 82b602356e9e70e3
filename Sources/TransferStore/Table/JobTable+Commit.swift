public import TransferModel

extension JobTable {
    /// Changes to a job that no longer is what they presuppose (a person with sqlite3 was there) do nothing. Admitting
    /// a job with an idempotency key that is known gives that job's number, so that a turn whose commit failed in an
    /// unknown way can be repeated.
    public func commit(_ turn: Turn, at now: Timestamp) throws(StoreError) -> Committed {
        guard !turn.isEmpty else { return Committed() }
        return try write { () throws(SQLiteError) in
            var committed = Committed()
            for change in turn.changes { try record(change, at: now, in: &committed) }
            if turn.sweeps { try sweep(at: now, in: &committed) }
            for claim in turn.claims { try carryOut(claim, at: now, in: &committed) }
            return committed
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
        case .answered(let id, let state): try answer(id, state, at: now)
        case .disposed(let id, let description): try dispose(id, description)
        }
    }

    private static let moveJob =
        "UPDATE jobs SET \"offset\" = ?2, \"limit\" = ?3 WHERE id = ?1 AND state = 'running'"

    private func progress(
        _ id: JobID, start: ByteCount, offset: ByteCount, limit: ByteCount?
    ) throws(SQLiteError) {
        try connection.run(
            Self.moveJob, .integer(id.rawValue), .integer(offset.rawValue), .integer(orNull: limit?.rawValue))
        try moveAttempt(of: id, start: start, end: offset)
    }

    private static let stageJob =
        "UPDATE jobs SET stage = ?2, checkpoint = ?3 WHERE id = ?1 AND state = 'running'"

    private func enter(_ stage: Stage, _ checkpoint: Checkpoint, of id: JobID) throws(SQLiteError) {
        try connection.run(
            Self.stageJob, .integer(id.rawValue), .text(stage.rawValue),
            .text(try JSONText.encode(checkpoint)))
    }

    private func end(_ id: JobID, _ ending: Ending, at now: Timestamp) throws(SQLiteError) {
        guard var job = try loadRunning(id) else { return }
        job.end(ending)
        job.answerRequest(at: now)
        try update(job)
        try endAttempt(of: id, at: now, ending)
    }

    private func answer(_ id: JobID, _ state: JobState?, at now: Timestamp) throws(SQLiteError) {
        guard var job = try load(id) else { return }
        job.request = nil
        if let state, job.state.name != .running { job.enter(state) }
        try update(job)
    }

    private static let describeJob = "UPDATE jobs SET spec = ?2, source = ?3 WHERE id = ?1"
    private static let disposeJob = "UPDATE jobs SET disposed = 1 WHERE id = ?1 AND finished_at IS NOT NULL"

    /// A retry may have come before the disposal was recorded: the job has its files' new place, and is not disposed of.
    private func dispose(_ id: JobID, _ description: JobDescription?) throws(SQLiteError) {
        if let description {
            try connection.run(
                Self.describeJob, .integer(id.rawValue), .text(try JSONText.encode(description)),
                .blob(orNull: description.sources.first?.path.bytes))
        }
        try connection.run(Self.disposeJob, .integer(id.rawValue))
    }
}
