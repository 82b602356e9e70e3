internal import CSQLite

/// What SQLite said about a call that failed. Source: https://www.sqlite.org/rescode.html
struct SQLiteError: Error, Hashable, CustomStringConvertible {
    /// The extended result code.
    let code: Int32
    let message: String
    /// The statement, where there was one.
    let sql: String?

    init(code: Int32, message: String, sql: String? = nil) {
        self.code = code
        self.message = message
        self.sql = sql
    }

    /// A row that no version of this program can have written.
    static func malformed(_ message: String) -> SQLiteError {
        SQLiteError(code: SQLITE_MISMATCH, message: message)
    }

    /// The code without its extension.
    var primaryCode: Int32 { code & 0xff }

    var description: String { "\(message) (SQLite \(code))" }
}
