internal import TransferModel

/// The windows of downloads whose bytes are not their file's first; they go with the job's own row, in one transaction.
extension JobTable {
    private static let selectSegments =
        "SELECT \"offset\", \"limit\" FROM segments WHERE job = ?1 ORDER BY \"offset\""

    /// The job with what its row does not hold.
    func completed(_ job: Job) throws(SQLiteError) -> Job {
        guard job.kind == .download, job.checkpoint.localTemporary != nil else { return job }
        var job = job
        job.missing = try connection.all(Self.selectSegments, [.integer(job.id.rawValue)]) {
            (row) throws(SQLiteError) in Window(row.integer(0)..<row.integer(1))
        }
        return job
    }

    private static let deleteSegments = "DELETE FROM segments WHERE job = ?1"
    private static let insertSegment = "INSERT INTO segments (job, \"offset\", \"limit\") VALUES (?1, ?2, ?3)"

    /// `known`: what is there.
    func write(segments: [Window], of id: JobID, known: [Window]) throws(SQLiteError) {
        guard segments != known else { return }
        if !known.isEmpty { try connection.run(Self.deleteSegments, .integer(id.rawValue)) }
        for window in segments {
            try connection.run(
                Self.insertSegment, .integer(id.rawValue), .integer(window.offset), .integer(window.limit))
        }
    }
}
