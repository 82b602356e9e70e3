internal import TransferModel

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
}
