internal import TransferModel

/// A failure lies in six columns in a row, in `jobs` as in `attempts`.
extension Failure {
    static let columnNames = [
        "failure_class", "failure_scope", "failure_curl", "failure_code", "failure_text",
        "failure_retry_after",
    ]

    /// nil where the columns from `first` on hold none.
    init?(row: SQLiteRow, from first: Int32) throws(SQLiteError) {
        guard let name = row.textOrNil(first) else { return nil }
        guard let failureClass = Class(rawValue: name), let scope = Scope(rawValue: row.text(first + 1))
        else {
            throw .malformed("a failure has a class or scope that no transferd wrote")
        }
        self.init(
            failureClass, scope: scope, curl: row.integerOrNil(first + 2).map(Int.init),
            code: row.integerOrNil(first + 3).map(Int.init), text: row.text(first + 4),
            retryAfter: row.integerOrNil(first + 5).map { .milliseconds($0) })
    }

    static func columns(_ failure: Failure?) -> [SQLiteValue] {
        guard let failure else { return Array(repeating: .null, count: columnNames.count) }
        return [
            .text(failure.class.rawValue), .text(failure.scope.rawValue),
            .integer(orNull: failure.curl.map(Int64.init)), .integer(orNull: failure.code.map(Int64.init)),
            .text(failure.text), .integer(orNull: failure.retryAfter?.wholeMilliseconds),
        ]
    }
}
