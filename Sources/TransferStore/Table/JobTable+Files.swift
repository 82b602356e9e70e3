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

    private static let selectIntake = """
        SELECT source_root, source, CASE WHEN kind = 'form' THEN spec END FROM jobs \
        WHERE disposed = 0 AND (source_root = 'intake' OR kind = 'form')
        """

    /// The directories below the intake of the jobs that are not disposed of. Reads the whole table.
    public func intakeDirectories() throws(StoreError) -> Set<FileName> {
        let rows = try guarded { () throws(SQLiteError) in
            try connection.all(Self.selectIntake) { (row) throws(SQLiteError) in
                (root: row.text(0), path: row.bytes(1), form: row.bytes(2))
            }
        }
        var directories: Set<FileName> = []
        for row in rows {
            if row.root == "intake", let path = FilePath(bytes: row.path) {
                directories.insert(firstOf: path)
            }
            guard !row.form.isEmpty else { continue }
            guard let description = JSONText.decode(JobDescription.self, row.form) else {
                throw .unusable("a form in the job table cannot be read")
            }
            for source in description.sources where source.root == .intake {
                directories.insert(firstOf: source.path)
            }
        }
        return directories
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

extension Set<FileName> {
    fileprivate mutating func insert(firstOf path: FilePath) {
        if let name = path.components.first.flatMap(FileName.init(bytes:)) { insert(name) }
    }
}
