internal import CSQLite
internal import TransferModel

/// A connection to one database with its prepared statements; closed when it goes. Belongs to one queue.
final class SQLiteConnection {
    private let handle: OpaquePointer
    private var statements: [String: SQLiteStatement] = [:]

    enum Opening {
        /// A database that exists.
        case existing(FilePath)
        /// An empty file that is to become one.
        case empty(FilePath)
        case inMemory
    }

    private static let isSetUp = transferd_sqlite_set_up() == SQLITE_OK

    /// Opens the database; nothing is read from it yet.
    init(_ opening: Opening) throws(SQLiteError) {
        _ = Self.isSetUp
        var handle: OpaquePointer?
        let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE
        let code =
            switch opening {
            case .existing(let path), .empty(let path):
                path.withCString { sqlite3_open_v2($0, &handle, flags, nil) }
            case .inMemory:
                sqlite3_open_v2(":memory:", &handle, flags | SQLITE_OPEN_MEMORY, nil)
            }
        guard code == SQLITE_OK, let handle else {
            let message = String(cString: sqlite3_errstr(code))
            sqlite3_close_v2(handle)
            throw SQLiteError(code: code, message: message)
        }
        self.handle = handle
        // Neither the file's schema nor a person's sqlite3 session can make this connection run foreign code.
        _ = transferd_sqlite_config(handle, SQLITE_DBCONFIG_DEFENSIVE, 1)
        _ = transferd_sqlite_config(handle, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0)
    }

    deinit {
        statements = [:]
        sqlite3_close_v2(handle)
    }

    /// How long a call waits for another program's lock; zero: not at all.
    func setBusyTimeout(_ timeout: Duration) {
        sqlite3_busy_timeout(handle, Int32(clamping: timeout.wholeMilliseconds))
    }

    var isInTransaction: Bool { sqlite3_get_autocommit(handle) == 0 }

    /// Rows that this connection has inserted, changed or deleted so far.
    var totalChanges: Int64 { sqlite3_total_changes64(handle) }

    /// Rows that the last statement has inserted, changed or deleted itself, without what triggers did.
    var changes: Int64 { sqlite3_changes64(handle) }

    var lastInsertedRow: Int64 { sqlite3_last_insert_rowid(handle) }

    /// Runs a script of statements without values.
    func execute(_ script: String) throws(SQLiteError) {
        let code = sqlite3_exec(handle, script, nil, nil, nil)
        guard code == SQLITE_OK else {
            throw SQLiteError(code: code, message: String(cString: sqlite3_errmsg(handle)), sql: script)
        }
    }

    /// Runs one statement to its end.
    func run(_ sql: String, _ values: SQLiteValue...) throws(SQLiteError) { try run(sql, values) }

    func run(_ sql: String, _ values: [SQLiteValue]) throws(SQLiteError) {
        _ = try all(sql, values) { (_) throws(SQLiteError) in () }
    }

    /// The first row of a query; nil when it has none.
    func first<Value>(
        _ sql: String, _ values: [SQLiteValue] = [],
        _ read: (SQLiteRow) throws(SQLiteError) -> Value
    ) throws(SQLiteError) -> Value? {
        let statement = try statement(sql)
        defer { statement.reset() }
        try statement.bind(values)
        guard let row = try statement.step() else { return nil }
        return try read(row)
    }

    /// Every row of a query. `read` must not run the same query.
    func all<Value>(
        _ sql: String, _ values: [SQLiteValue] = [],
        _ read: (SQLiteRow) throws(SQLiteError) -> Value
    ) throws(SQLiteError) -> [Value] {
        let statement = try statement(sql)
        defer { statement.reset() }
        try statement.bind(values)
        var found: [Value] = []
        while let row = try statement.step() { found.append(try read(row)) }
        return found
    }

    /// The first column of a query's first row, as a number.
    func number(_ sql: String, _ values: SQLiteValue...) throws(SQLiteError) -> Int64? {
        try first(sql, values) { (row) throws(SQLiteError) in row.integerOrNil(0) } ?? nil
    }

    /// The statement for `sql`, prepared once.
    func statement(_ sql: String) throws(SQLiteError) -> SQLiteStatement {
        if let statement = statements[sql] { return statement }
        let statement = try SQLiteStatement(sql, on: handle)
        statements[sql] = statement
        return statement
    }

    /// Every statement that was used so far.
    var preparedStatements: [SQLiteStatement] { Array(statements.values) }

    /// Runs `body` between BEGIN `mode` and COMMIT; whatever fails, nothing of it stays.
    func transaction<Value>(
        _ mode: TransactionMode, _ body: () throws(SQLiteError) -> Value
    ) throws(SQLiteError) -> Value {
        try run(mode.rawValue)
        do {
            let value = try body()
            try run("COMMIT")
            return value
        } catch {
            // A failed COMMIT may or may not have ended the transaction: https://www.sqlite.org/lang_transaction.html
            if isInTransaction { try? run("ROLLBACK") }
            throw error
        }
    }

    enum TransactionMode: String {
        /// One snapshot for several queries.
        case reading = "BEGIN DEFERRED"
        /// The write lock is taken at once, so that no later statement can find it taken.
        case writing = "BEGIN IMMEDIATE"
    }
}
