public import TransferModel

extension JobTable {
    private static let selectRunning =
        "SELECT \(JobColumn.selected) FROM jobs INDEXED BY jobs_by_state WHERE state = 'running' ORDER BY id"

    /// Takes back the jobs that a daemon left `running` when it ended; for the start, before anything is claimed.
    ///
    /// Each goes to `queued`, its attempt is closed as interrupted and counted unless it got beyond the farthest one (or
    /// is a form's, which begins anew each time, and moved bytes: ten times as many of those end the job);
    /// the try with which the count reaches `longestRow` ends the job as `failed`. For a form of which the last buffer may have been sent,
    /// `unknownOutcome` decides: `hold` holds it until a person says `retry`, `retry` sends it again. Requests that
    /// were open are carried out. Returns the jobs as they are now, durable.
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
                    at: now, longestRow: longestRow, tries: try tries(of: taken[index].id),
                    unknownOutcome: policy)
                try update(taken[index])
                try closeAttempt(of: taken[index].id, at: now, failure: Job.interruption)
            }
            return taken
        }
    }

    /// How many attempts the job has had.
    func tries(of id: JobID) throws(SQLiteError) -> Int {
        Int(
            try connection.number("SELECT max(number) FROM attempts WHERE job = ?1", .integer(id.rawValue))
                ?? 0)
    }
}
