internal import CSQLite

/// A prepared statement; finalized when it goes. Belongs to its connection's queue.
final class SQLiteStatement {
    private let handle: OpaquePointer
    private let connection: OpaquePointer
    let sql: String

    /// Prepares `sql`, one statement, for as long as the connection lives.
    init(_ sql: String, on connection: OpaquePointer) throws(SQLiteError) {
        var handle: OpaquePointer?
        let code = sqlite3_prepare_v3(
            connection, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &handle, nil)
        guard code == SQLITE_OK, let handle else {
            throw SQLiteError(code: code, message: String(cString: sqlite3_errmsg(connection)), sql: sql)
        }
        self.handle = handle
        self.connection = connection
        self.sql = sql
    }

    deinit { sqlite3_finalize(handle) }

    var parameterCount: Int { Int(sqlite3_bind_parameter_count(handle)) }

    /// Binds `values` to the parameters 1, 2, …; texts and blobs are copied.
    func bind(_ values: [SQLiteValue]) throws(SQLiteError) {
        precondition(
            values.count == parameterCount,
            "a statement gets a value for each of its parameters")
        for (index, value) in zip(Int32(1)..., values) {
            let code = bind(value, at: index)
            guard code == SQLITE_OK else { throw error(code) }
        }
    }

    private func bind(_ value: SQLiteValue, at index: Int32) -> Int32 {
        switch value {
        case .null:
            return sqlite3_bind_null(handle, index)
        case .integer(let number):
            return sqlite3_bind_int64(handle, index, number)
        case .text(var text):
            return text.withUTF8 { bytes in
                // A null pointer would bind NULL instead of an empty text.
                guard let base = bytes.baseAddress else {
                    return transferd_sqlite_bind_text(handle, index, "", 0)
                }
                return base.withMemoryRebound(to: CChar.self, capacity: bytes.count) {
                    transferd_sqlite_bind_text(handle, index, $0, Int32(bytes.count))
                }
            }
        case .blob(let bytes):
            guard !bytes.isEmpty else { return sqlite3_bind_zeroblob(handle, index, 0) }
            return bytes.withUnsafeBytes {
                transferd_sqlite_bind_blob(handle, index, $0.baseAddress, Int32($0.count))
            }
        }
    }

    /// Goes to the next row; nil at the end.
    func step() throws(SQLiteError) -> SQLiteRow? {
        let code = sqlite3_step(handle)
        switch code {
        case SQLITE_ROW: return SQLiteRow(handle)
        case SQLITE_DONE: return nil
        default: throw error(code)
        }
    }

    /// Makes the statement ready for its next use and lets go of its locks and of what was bound.
    func reset() {
        sqlite3_reset(handle)
        sqlite3_clear_bindings(handle)
    }

    /// What the statement has cost since the last call. Source: https://www.sqlite.org/c3ref/c_stmtstatus_counter.html
    func takeCosts() -> (steps: Int, scannedRows: Int) {
        (
            Int(sqlite3_stmt_status(handle, SQLITE_STMTSTATUS_VM_STEP, 1)),
            Int(sqlite3_stmt_status(handle, SQLITE_STMTSTATUS_FULLSCAN_STEP, 1))
        )
    }

    private func error(_ code: Int32) -> SQLiteError {
        SQLiteError(code: code, message: String(cString: sqlite3_errmsg(connection)), sql: sql)
    }
}
