/// A value of one of SQLite's storage classes that the job table uses, on its way into a statement.
enum SQLiteValue: Hashable {
    case null
    case integer(Int64)
    case text(String)
    case blob([UInt8])

    static func integer(_ value: Int) -> SQLiteValue { .integer(Int64(value)) }

    static func integer(orNull value: Int64?) -> SQLiteValue { value.map(SQLiteValue.integer) ?? .null }

    static func text(orNull value: String?) -> SQLiteValue { value.map(SQLiteValue.text) ?? .null }

    static func blob(orNull value: [UInt8]?) -> SQLiteValue { value.map(SQLiteValue.blob) ?? .null }
}
