internal import TransferModel

/// Attempts that did not succeed have rows of their own; one that runs or has succeeded is the job's last, and all that
/// is known of it stands in the job's row.
extension Attempt {
    static let columns =
        "job, number, started_at, ended_at, start_offset, end_offset, "
        + Failure.columnNames.joined(separator: ", ")

    /// The attempt of a row that was read with ``columns``.
    init(row: SQLiteRow) throws(SQLiteError) {
        self.init(
            job: JobID(rawValue: row.integer(0)), number: Int(row.integer(1)),
            startedAt: Timestamp(rawValue: row.integer(2)),
            endedAt: row.integerOrNil(3).map(Timestamp.init(rawValue:)),
            startOffset: ByteCount(rawValue: row.integer(4)), endOffset: ByteCount(rawValue: row.integer(5)),
            failure: try Failure(row: row, from: 6))
    }

    /// The attempt that `job` is in, or that made it `done`, as its `number`th; nil when there is none.
    init?(of job: Job, number: Int) {
        guard let startedAt = job.startedAt, !job.isAhead,
            job.state.name == .running || job.state.name == .done
        else {
            return nil
        }
        self.init(
            job: job.id, number: number, startedAt: startedAt, endedAt: job.finishedAt,
            startOffset: job.startOffset, endOffset: job.offset)
    }
}
