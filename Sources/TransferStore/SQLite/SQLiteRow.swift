internal import CSQLite

/// The row that a statement stands on; valid until the statement's next step. Columns count from 0.
struct SQLiteRow {
    private let handle: OpaquePointer

    init(_ handle: OpaquePointer) { self.handle = handle }

    func isNull(_ column: Int32) -> Bool { sqlite3_column_type(handle, column) == SQLITE_NULL }

    func integer(_ column: Int32) -> Int64 { sqlite3_column_int64(handle, column) }

    func integerOrNil(_ column: Int32) -> Int64? { isNull(column) ? nil : integer(column) }

    func text(_ column: Int32) -> String { String(decoding: bytes(column), as: UTF8.self) }

    func textOrNil(_ column: Int32) -> String? { isNull(column) ? nil : text(column) }

    /// The bytes of a text or blob.
    func bytes(_ column: Int32) -> [UInt8] {
        // sqlite3_column_blob first, then the count: https://www.sqlite.org/c3ref/column_blob.html
        guard let base = sqlite3_column_blob(handle, column) else { return [] }
        return Array(UnsafeRawBufferPointer(start: base, count: Int(sqlite3_column_bytes(handle, column))))
    }

    func bytesOrNil(_ column: Int32) -> [UInt8]? { isNull(column) ? nil : bytes(column) }
}
