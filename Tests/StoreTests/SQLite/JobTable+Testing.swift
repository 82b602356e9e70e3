import TransferModel

@testable import TransferStore

extension JobTable {
    /// Begins to read and keeps what it sees.
    func holdSnapshot() throws {
        try connection.execute("BEGIN; SELECT count(*) FROM job_counts")
    }

    func endSnapshot() throws { try connection.execute("COMMIT") }

    /// Lets the table grow to no more pages than `limit`, as a full disk would; returns how many it has.
    @discardableResult
    func limitPages(to limit: Int64?) throws -> Int64 {
        if let limit { try connection.execute("PRAGMA max_page_count = \(limit)") }
        return try connection.number("PRAGMA page_count") ?? 0
    }

    /// Copies the job `template` until there are `count` jobs.
    func multiply(_ template: JobID, to count: Int) throws {
        let names = JobColumn.inserted.map(\.name)
        let values = names.map { $0 == "idempotency_key" ? "'copy' || n.i" : "jobs." + $0 }
        try connection.execute(
            """
            WITH RECURSIVE n(i) AS (SELECT 2 UNION ALL SELECT i + 1 FROM n WHERE i < \(count))
            INSERT INTO jobs (\(names.joined(separator: ", ")))
            SELECT \(values.joined(separator: ", ")) FROM n, jobs WHERE jobs.id = \(template)
            """)
    }

    /// What `body` makes the table's statements do.
    func costs(_ body: () throws -> Void) throws -> (steps: Int, scannedRows: Int) {
        try body()
        for statement in connection.preparedStatements { _ = statement.takeCosts() }
        try body()
        return connection.preparedStatements.reduce(into: (0, 0)) { sum, statement in
            let costs = statement.takeCosts()
            sum = (sum.0 + costs.steps, sum.1 + costs.scannedRows)
        }
    }

    /// The steps of SQLite's plan for every statement that was used so far.
    func plans() throws -> [(sql: String, step: String)] {
        let words = ["SELECT", "UPDATE", "INSERT"]
        let statements = connection.preparedStatements.map(\.sql).filter { sql in
            words.contains { sql.hasPrefix($0) }
        }
        return try statements.flatMap { sql in
            let values = [SQLiteValue](repeating: .null, count: try connection.statement(sql).parameterCount)
            return try connection.all("EXPLAIN QUERY PLAN " + sql, values) { (row) throws(SQLiteError) in
                row.text(3)
            }
            .map { (sql, $0) }
        }
    }
}
