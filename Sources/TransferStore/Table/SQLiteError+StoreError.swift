internal import CSQLite
internal import TransferModel

extension SQLiteError {
    /// What the failure means to who uses the job table, as one line that names the file.
    func storeError(table: FilePath) -> StoreError {
        switch primaryCode {
        case SQLITE_BUSY, SQLITE_LOCKED:
            .busy("\(TableHolder.describe(table: table)) holds the job table \(table)")
        case SQLITE_FULL:
            .environment("no room left on the disk of the job table \(table)")
        case SQLITE_IOERR, SQLITE_CANTOPEN, SQLITE_READONLY, SQLITE_PERM, SQLITE_AUTH, SQLITE_NOMEM,
            SQLITE_NOLFS:
            .environment("the job table \(table) cannot be used now: \(message)")
        case SQLITE_CORRUPT, SQLITE_NOTADB:
            .unusable(
                "the job table \(table) is damaged or no database (\(message)); nothing was changed: put a copy back, or "
                    + "move it away to begin anew")
        case SQLITE_MISMATCH:
            .unusable("the job table \(table) was changed by hand: \(message)")
        default:
            // Constraints, missing tables and the like: neither the schema nor the statements let them happen, unless
            // the table was changed under the program.
            .unusable("the job table \(table) does not take what it should: \(message)")
        }
    }
}
