internal import TransferModel

/// One row at a time, inside a transaction.
extension JobTable {
    private static let selectByID = "SELECT \(JobColumn.selected) FROM jobs WHERE id = ?1"

    func load(_ id: JobID) throws(SQLiteError) -> Job? {
        let job = try connection.first(Self.selectByID, [.integer(id.rawValue)]) {
            (row) throws(SQLiteError) in try Job(row: row)
        }
        guard var job else { return nil }
        job.rate = try rate(of: id)
        return try completed(job)
    }

    private static let selectRequest = "SELECT request FROM jobs WHERE id = ?1 AND state = 'running'"

    /// A job that runs; nil when it does not.
    func running(_ id: JobID) throws(SQLiteError) -> Job? {
        guard var entry = claimed[id] else {
            return try load(id).flatMap { $0.state.name == .running ? $0 : nil }
        }
        guard entry.isSuspect else { return entry.job }
        let request = try connection.first(Self.selectRequest, [.integer(id.rawValue)]) {
            (row) throws(SQLiteError) in row.textOrNil(0)
        }
        guard let request else {
            claimed[id] = nil
            return nil
        }
        entry.isSuspect = false
        entry.job.request = request.flatMap(JobRequest.init(rawValue:))
        entry.row?.request = entry.job.request
        claimed[id] = entry
        return entry.job
    }

    /// The same of one that does not run any longer, and what stands in its row.
    func takeRunning(_ id: JobID) throws(SQLiteError) -> (job: Job, row: Job)? {
        guard let job = try running(id) else { return nil }
        guard let entry = claimed[id] else { return (job, job) }
        claimed[id] = nil
        return (job, entry.row ?? job)
    }

    /// Something happened to a job that runs; in its row at the transaction's end.
    func note(_ job: Job) throws(SQLiteError) {
        if let entry = claimed[job.id] {
            claimed[job.id] = ClaimedJobs.Entry(job: job, row: entry.row ?? entry.job)
        } else if let row = try load(job.id) {
            try update(job, from: row)
        }
    }

    /// Writes down what has happened to a job in this transaction.
    func writeDown(_ id: JobID) throws(SQLiteError) {
        guard let entry = claimed[id], let row = entry.row else { return }
        try update(entry.job, from: row)
        claimed[id] = ClaimedJobs.Entry(job: entry.job, isSuspect: entry.isSuspect)
    }

    private static let insertJob = """
        INSERT INTO jobs (\(JobColumn.inserted.map(\.name).joined(separator: ", "))) \
        VALUES (\(parameters(JobColumn.inserted.count))) \
        ON CONFLICT (idempotency_key) DO NOTHING
        """

    private static func parameters(_ count: Int) -> String {
        Array(repeating: "?", count: count).joined(separator: ", ")
    }

    /// A new row; the row that has the same idempotency key already, where there is one.
    func insert(_ job: Job) throws(SQLiteError) -> JobID {
        // Not RETURNING, for which SQLite opens a temporary table each time.
        try connection.run(Self.insertJob, try job.values(of: JobColumn.inserted))
        if connection.changes > 0 {
            let id = JobID(rawValue: connection.lastInsertedRow)
            if let rate = job.rate { try write(rate: rate, of: id) }
            return id
        }
        let known = try connection.number(
            "SELECT id FROM jobs WHERE idempotency_key = ?1", .text(job.idempotencyKey))
        guard let known else { throw .malformed("a job could neither be added nor found") }
        return JobID(rawValue: known)
    }

    /// Writes down what a transition made of the job that was `old`: the columns that it changed, so that no index and
    /// no CHECK of another one is touched.
    func update(_ job: Job, from old: Job) throws(SQLiteError) {
        try write(segments: job.missing, of: job.id, known: old.missing)
        var names: UInt64 = 0
        var values: [SQLiteValue] = []
        values.reserveCapacity(12)
        for column in JobColumn.changing where !job.has(column, as: old) {
            names |= 1 << UInt64(column.rawValue)
            values.append(try job.value(of: column))
        }
        guard names != 0 else { return }
        values.append(.integer(job.id.rawValue))
        try connection.run(updateStatement(of: names), values)
    }

    /// The statement that sets those of ``JobColumn/changing`` whose bit is set in `names`.
    private func updateStatement(of names: UInt64) -> String {
        if let known = updates[names] { return known }
        let columns = JobColumn.changing.filter { names & 1 << UInt64($0.rawValue) != 0 }
        let sql =
            "UPDATE jobs SET " + columns.map { "\($0.name) = ?" }.joined(separator: ", ") + " WHERE id = ?"
        updates[names] = sql
        return sql
    }

    private static let insertAttempt = """
        INSERT INTO attempts (job, number, started_at, ended_at, start_offset, end_offset, \
        \(Failure.columnNames.joined(separator: ", "))) \
        SELECT ?1, ifnull(max(number), 0) + 1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11 FROM attempts WHERE job = ?1
        """

    /// The attempt that `job` was in is over, without success, and came from `start` to `offset`.
    func recordAttempt(
        of job: Job, from start: ByteCount, to offset: ByteCount, at now: Timestamp, failure: Failure?
    ) throws(SQLiteError) {
        let startedAt = job.startedAt ?? now
        try connection.run(
            Self.insertAttempt,
            [
                .integer(job.id.rawValue), .integer(startedAt.rawValue), .integer(now.rawValue),
                .integer(start.rawValue), .integer(offset.rawValue),
            ] + Failure.columns(failure))
    }
}
