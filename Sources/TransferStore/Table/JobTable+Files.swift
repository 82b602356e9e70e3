public import TransferModel

/// What the jobs own in the file system.
extension JobTable {
    private static let selectUndisposed = """
        SELECT \(JobColumn.selected) FROM jobs INDEXED BY jobs_undisposed \
        WHERE disposed = 0 AND finished_at IS NOT NULL ORDER BY finished_at, id LIMIT ?1
        """

    public func undisposed(limit: Int) throws(StoreError) -> [Job] {
        try allJobs(Self.selectUndisposed, [.integer(limit)])
    }

    private static let selectSpoolJobs = """
        SELECT \(JobColumn.selected) FROM jobs INDEXED BY jobs_spool \
        WHERE disposed = 0 AND source_root = 'spool'
        """

    public func spoolJobs() throws(StoreError) -> [Job] { try allJobs(Self.selectSpoolJobs, []) }

    private static let selectSpoolJob = selectSpoolJobs + " AND source = ?1"

    /// The jobs that are not disposed of and whose first source is the file at `path` below the spool: one seek, where
    /// ``spoolJobs()`` reads them all.
    public func spoolJobs(at path: FilePath) throws(StoreError) -> [Job] {
        try allJobs(Self.selectSpoolJob, [.blob(path.bytes)])
    }

    private static let selectSpoolPaths =
        "SELECT source FROM jobs INDEXED BY jobs_spool WHERE disposed = 0 AND source_root = 'spool'"

    /// Where the files of ``spoolJobs()`` are, below the spool; from an index, without reading the jobs.
    public func spoolPaths() throws(StoreError) -> Set<FilePath> {
        let paths = try guarded { () throws(SQLiteError) in
            try connection.all(Self.selectSpoolPaths) { (row) throws(SQLiteError) in
                FilePath(bytes: row.bytes(0))
            }
        }
        return Set(paths.compactMap { $0 })
    }
}
