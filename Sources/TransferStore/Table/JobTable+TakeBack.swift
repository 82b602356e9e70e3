public import TransferModel

extension JobTable {
    private static let selectRunning =
        "SELECT \(JobColumn.selected) FROM jobs INDEXED BY jobs_by_state WHERE state = 'running' ORDER BY id"

    /// Takes back the jobs that a daemon left `running` when it ended; for the start, before anything is claimed.
    ///
    /// Each goes to `queued`, its attempt is closed as interrupted. The `longestRow`th interruption in a row ends the job
    /// as `failed`, unless it got beyond the farthest one. For a form of which the last buffer may have been sent,
    /// `unknownOutcome` decides: `hold` holds it until a person says `retry`, `retry` sends it again. Requests that were
    /// open are carried out. Returns the jobs as they are now, durable.
    public func takeBack(
        at now: Timestamp, longestRow: Int, unknownOutcome: (Job) -> UnknownOutcome
    ) throws(StoreError) -> [Job] {
        try write { () throws(SQLiteError) in
            var taken = try connection.all(Self.selectRunning) { (row) throws(SQLiteError) in
                try Job(row: row)
            }
            for index in taken.indices {
                let policy = taken[index].stage == .sealed ? unknownOutcome(taken[index]) : .retry
                taken[index].takeBack(
                    at: now, longestRow: longestRow, interruptions: try interruptions(of: taken[index].id),
                    unknownOutcome: policy)
                try update(taken[index])
                try closeAttempt(of: taken[index].id, at: now, failure: Job.interruption)
            }
            return taken
        }
    }

    private static let countInterruptions = """
        SELECT count(*) FROM attempts WHERE job = ?1 AND number > ifnull((SELECT max(number) FROM attempts \
        WHERE job = ?1 AND ended_at IS NOT NULL AND failure_text IS NOT ?2), 0)
        """

    /// How many attempts of the job ended with their daemon since the last one that did not; the open one is counted.
    private func interruptions(of id: JobID) throws(SQLiteError) -> Int {
        let count = try connection.number(
            Self.countInterruptions, .integer(id.rawValue), .text(Job.interruption.text))
        return Int(count ?? 0)
    }
}
