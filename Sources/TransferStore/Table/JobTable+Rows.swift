internal import TransferModel

/// One row at a time, inside a transaction.
extension JobTable {
    private static let selectByID = "SELECT \(JobColumn.selected) FROM jobs WHERE id = ?1"

    func load(_ id: JobID) throws(SQLiteError) -> Job? {
        try connection.first(Self.selectByID, [.integer(id.rawValue)]) { (row) throws(SQLiteError) in
            try Job(row: row)
        }
    }

    private static let selectRequest = "SELECT request FROM jobs WHERE id = ?1 AND state = 'running'"

    /// A job that runs; nil when it does not.
    func loadRunning(_ id: JobID) throws(SQLiteError) -> Job? {
        guard var job = claimed.removeValue(forKey: id) else {
            return try load(id).flatMap { $0.state.name == .running ? $0 : nil }
        }
        let request = try connection.first(Self.selectRequest, [.integer(id.rawValue)]) {
            (row) throws(SQLiteError) in row.textOrNil(0)
        }
        guard let request else { return nil }
        job.request = request.flatMap(JobRequest.init(rawValue:))
        return job
    }

    private static let insertJob = """
        INSERT INTO jobs (\(JobColumn.inserted.map(\.name).joined(separator: ", "))) \
        VALUES (\(parameters(JobColumn.inserted.count))) \
        ON CONFLICT (idempotency_key) DO NOTHING RETURNING id
        """

    private static func parameters(_ count: Int) -> String {
        Array(repeating: "?", count: count).joined(separator: ", ")
    }

    /// A new row; the row that has the same idempotency key already, where there is one.
    func insert(_ job: Job) throws(SQLiteError) -> JobID {
        let inserted = try connection.first(Self.insertJob, try job.values(of: JobColumn.inserted)) {
            (row) throws(SQLiteError) in row.integer(0)
        }
        if let inserted { return JobID(rawValue: inserted) }
        let known = try connection.number(
            "SELECT id FROM jobs WHERE idempotency_key = ?1", .text(job.idempotencyKey))
        guard let known else { throw .malformed("a job could neither be added nor found") }
        return JobID(rawValue: known)
    }

    private static let updateJob =
        "UPDATE jobs SET " + JobColumn.changing.map { "\($0.name) = ?" }.joined(separator: ", ")
        + " WHERE id = ?"

    /// Writes down what a transition made of the job.
    func update(_ job: Job) throws(SQLiteError) {
        try connection.run(
            Self.updateJob, try job.values(of: JobColumn.changing) + [.integer(job.id.rawValue)])
    }

    private static let insertAttempt = """
        INSERT INTO attempts (job, number, started_at, start_offset, end_offset) \
        SELECT ?1, ifnull(max(number), 0) + 1, ?2, ?3, ?3 FROM attempts WHERE job = ?1
        """

    func openAttempt(of job: Job, at now: Timestamp) throws(SQLiteError) {
        try connection.run(
            Self.insertAttempt, .integer(job.id.rawValue), .integer(now.rawValue),
            .integer(job.offset.rawValue))
    }

    /// The last attempt of a job, while it is open.
    private static let openAttempt =
        "job = ?1 AND number = (SELECT max(number) FROM attempts WHERE job = ?1) AND ended_at IS NULL"

    private static let moveAttempt =
        "UPDATE attempts SET start_offset = ?2, end_offset = ?3 WHERE \(openAttempt)"

    func moveAttempt(of id: JobID, start: ByteCount, end: ByteCount) throws(SQLiteError) {
        try connection.run(
            Self.moveAttempt, .integer(id.rawValue), .integer(start.rawValue), .integer(end.rawValue))
    }

    private static let endAttempt =
        "UPDATE attempts SET ended_at = ?2, start_offset = ?3, end_offset = ?4, "
        + Failure.columnNames.map { "\($0) = ?" }.joined(separator: ", ") + " WHERE \(openAttempt)"

    /// The open attempt is over, and got so far.
    func endAttempt(of id: JobID, at now: Timestamp, _ ending: Ending) throws(SQLiteError) {
        try connection.run(
            Self.endAttempt,
            [
                .integer(id.rawValue), .integer(now.rawValue), .integer(ending.start.rawValue),
                .integer(ending.offset.rawValue),
            ] + Failure.columns(ending.failure))
    }

    private static let closeAttempt =
        "UPDATE attempts SET ended_at = ?2, "
        + Failure.columnNames.map { "\($0) = ?" }.joined(separator: ", ") + " WHERE \(openAttempt)"

    func closeAttempt(of id: JobID, at now: Timestamp, failure: Failure?) throws(SQLiteError) {
        try connection.run(
            Self.closeAttempt, [.integer(id.rawValue), .integer(now.rawValue)] + Failure.columns(failure))
    }
}
