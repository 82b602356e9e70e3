public import TransferModel

extension JobTable {
    private static let selectExpired = """
        SELECT \(JobColumn.selected) FROM jobs INDEXED BY jobs_expiry \
        WHERE state IN ('queued', 'held') AND expires_at <= ?1 ORDER BY expires_at LIMIT \(expiriesInOneTurn)
        """

    private static let clampRetries = """
        UPDATE jobs SET retry_at = ?1 WHERE id IN \
        (SELECT id FROM jobs INDEXED BY jobs_retries WHERE retry_at > ?1 LIMIT \(expiriesInOneTurn))
        """

    /// Ends jobs past their time and brings back retry times that a clock set back has put far away; a bounded number
    /// of each, the rest with the next sweep.
    func sweep(at now: Timestamp, in committed: inout Committed) throws(SQLiteError) {
        let overdue = try connection.all(Self.selectExpired, [.integer(now.rawValue)]) {
            (row) throws(SQLiteError) in try Job(row: row)
        }
        for job in overdue { committed.expired.append(try expire(job, at: now)) }
        try connection.run(Self.clampRetries, .integer((now + longestBackOff).rawValue))
    }

    private static let selectNextExpiry = """
        SELECT expires_at FROM jobs INDEXED BY jobs_expiry \
        WHERE state IN ('queued', 'held') ORDER BY expires_at LIMIT 1
        """

    public func nextExpiry() throws(StoreError) -> Timestamp? {
        try guarded { () throws(SQLiteError) in
            try connection.number(Self.selectNextExpiry).map(Timestamp.init(rawValue:))
        }
    }
}
