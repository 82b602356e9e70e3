public import TransferModel

extension JobTable {
    private static let selectRunning =
        "SELECT \(JobColumn.selected) FROM jobs INDEXED BY jobs_running WHERE state = 'running' ORDER BY id"

    /// Takes back the jobs that a daemon left `running` when it ended; for the start, before anything is claimed.
    ///
    /// Each goes to `queued`, its attempt is recorded as interrupted; one that was only claimed ahead has made none. The
    /// `longestRow`th interruption in a row ends the job as `failed`, unless it got beyond the farthest one. For a form of
    /// which the last buffer may have been sent, `unknownOutcome` decides: `hold` holds it until a person says `retry`,
    /// `retry` sends it again. Requests that were open are carried out. Returns the jobs as they are now, durable.
    public func takeBack(
        at now: Timestamp, longestRow: Int, unknownOutcome: (Job) -> UnknownOutcome
    ) throws(StoreError) -> [Job] {
        defer { claimed.suspectAll() }
        return try write { () throws(SQLiteError) in
            let left = try connection.all(Self.selectRunning) { (row) throws(SQLiteError) in
                try Job(row: row)
            }
            var taken = left
            for (index, orphan) in left.enumerated() {
                guard !orphan.isAhead else {
                    taken[index] = try putBack(orphan, from: orphan, at: now)
                    continue
                }
                try recordInterruption(of: orphan, at: now)
                taken[index].takeBack(
                    at: now, longestRow: longestRow, interruptions: try interruptions(of: orphan.id),
                    unknownOutcome: orphan.stage == .sealed ? unknownOutcome(orphan) : .retry)
                try update(taken[index], from: orphan)
            }
            return taken
        }
    }

    func recordInterruption(of orphan: Job, at now: Timestamp) throws(SQLiteError) {
        try recordAttempt(
            of: orphan, from: orphan.startOffset, to: orphan.offset, at: now, failure: orphan.interruption)
    }

    private static let countInterruptions = """
        SELECT count(*) FROM attempts WHERE job = ?1 AND number > ifnull((SELECT max(number) FROM attempts \
        WHERE job = ?1 AND failure_text IS NOT ?2 AND failure_text IS NOT ?3), 0)
        """

    /// How many attempts of the job ended with their daemon since the last one that did not.
    private func interruptions(of id: JobID) throws(SQLiteError) -> Int {
        let count = try connection.number(
            Self.countInterruptions, .integer(id.rawValue), .text(Job.interruption.text),
            .text(Job.unknownInterruption.text))
        return Int(count ?? 0)
    }
}
