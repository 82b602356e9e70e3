internal import CSQLite

/// The job table's versions: what makes a database one, and whether it is what the migrations give.
enum JobTableSchema {
    /// "trfd": tells a job table from other SQLite databases. Source: https://www.sqlite.org/fileformat2.html
    static let applicationID: Int64 = 0x7472_6664

    /// Append only: a table of version n has seen the first n. What stands here is never changed.
    static let migrations = [
        FirstMigration.sql, SecondMigration.sql, ThirdMigration.sql, FourthMigration.sql,
        FifthMigration.sql, SixthMigration.sql,
    ]

    static var version: Int { migrations.count }

    /// Brings a table from `version` on to the newest, in one transaction. Foreign keys must be off: a table that is made
    /// anew must not take its attempts with it.
    static func migrate(_ connection: SQLiteConnection, from version: Int) throws(SQLiteError) {
        try connection.transaction(.writing) { () throws(SQLiteError) in
            for sql in migrations.dropFirst(version) { try connection.execute(sql) }
            try connection.execute("PRAGMA user_version = \(migrations.count)")
        }
    }

    /// The name of the first table, index or trigger that differs from what the migrations give; nil: none does.
    static func difference(_ connection: SQLiteConnection) throws(SQLiteError) -> String? {
        let reference = try SQLiteConnection(.inMemory)
        try migrate(reference, from: 0)
        let expected = try objects(reference)
        let found = try objects(connection)
        let names = Set(expected.keys).union(found.keys).sorted()
        return names.first { expected[$0] != found[$0] }
    }

    /// Name and text of everything in the schema but what SQLite keeps for itself.
    private static func objects(_ connection: SQLiteConnection) throws(SQLiteError) -> [String: String] {
        let sql =
            "SELECT name, ifnull(sql, '') FROM sqlite_schema WHERE name NOT LIKE 'sqlite\\_%' ESCAPE '\\'"
        let pairs = try connection.all(sql) { (row) throws(SQLiteError) in (row.text(0), row.text(1)) }
        return Dictionary(pairs) { first, _ in first }
    }
}
