internal import CLinux
internal import Glibc
internal import TransferModel

/// The entries of the state directory that belong to the job table, and their modes.
///
/// The table's own files are never opened here once they exist: closing any descriptor of a file drops every lock that
/// the process has on it, SQLite's too (https://www.sqlite.org/howtocorrupt.html, section 2.2).
enum TableFiles {
    static func writeAheadLog(of table: FilePath) -> FilePath { suffixed(table, "-wal") }

    static func sharedMemory(of table: FilePath) -> FilePath { suffixed(table, "-shm") }

    /// Where a new table is built before it gets its name, so that a table that has its name is whole.
    static func unfinished(_ table: FilePath) -> FilePath { suffixed(table, ".new") }

    private static func suffixed(_ path: FilePath, _ suffix: StaticString) -> FilePath {
        guard let path = FilePath(bytes: path.bytes + suffix.withUTF8Buffer(Array.init)) else {
            preconditionFailure("a path stays a path when something is appended")
        }
        return path
    }

    /// Makes the directory where it is missing: rwxrws---. One that is there stays as it is, a link to one too.
    static func makeDirectory(_ path: FilePath) throws(StoreError) {
        if let status = SystemCalls.status(of: path) {
            guard SystemCalls.isDirectory(status) || SystemCalls.isLink(status) else {
                throw .environment("\(path) is not a directory")
            }
            return
        }
        // mkdir(2) obeys the umask and ignores the set-group-ID bit.
        guard path.withCString({ mkdir($0, 0o770) == 0 && chmod($0, 0o2770) == 0 }) else {
            throw .environment("cannot make the directory \(path): \(SystemCalls.words())")
        }
    }

    /// Makes an empty file where it is missing: rw-rw----, whatever the umask says.
    static func makeFile(_ path: FilePath) throws(StoreError) {
        let descriptor = SystemCalls.open(path, O_WRONLY | O_CREAT | O_EXCL, mode: 0o660)
        guard descriptor >= 0 else {
            if errno == EEXIST { return }
            throw .environment("cannot make \(path): \(SystemCalls.words())")
        }
        fchmod(descriptor, 0o660)
        close(descriptor)
    }

    /// Opens and closes `wake` for writing, which whoever watches it sees: inotify(7), IN_CLOSE_WRITE.
    ///
    /// Failing is no error: the daemon sees the log of the table closed, or looks by itself.
    static func touch(_ wake: FilePath) {
        let descriptor = SystemCalls.open(wake, O_WRONLY | O_CREAT, mode: 0o660)
        if descriptor >= 0 { close(descriptor) }
    }

    /// Whether the table is there; throws where what is there cannot be one or must not be built anew.
    static func exists(_ table: FilePath) throws(StoreError) -> Bool {
        guard let status = SystemCalls.status(of: table) else {
            guard errno == ENOENT else {
                throw .environment("cannot look at \(table): \(SystemCalls.words())")
            }
            guard (SystemCalls.status(of: writeAheadLog(of: table))?.st_size ?? 0) == 0 else {
                throw .unusable(
                    "\(table) is gone, but its log \(writeAheadLog(of: table)) is there: put the table back, or "
                        + "remove the log to begin without the jobs in it")
            }
            return false
        }
        guard SystemCalls.isRegularFile(status) else { throw .unusable("\(table) is not a regular file") }
        guard status.st_size > 0 else {
            throw .unusable(
                "\(table) is empty, so it is not a job table: put a copy back, or remove it to begin anew")
        }
        return true
    }

    /// Builds a table under another name and gives it its own when it is whole and on the disk.
    static func create(_ table: FilePath) throws(StoreError) {
        let unfinished = unfinished(table)
        for leftover in [unfinished, writeAheadLog(of: unfinished), sharedMemory(of: unfinished)] {
            _ = leftover.withCString { unlink($0) }
        }
        try makeFile(unfinished)
        do {
            try build(unfinished)
        } catch {
            throw error.storeError(table: unfinished)
        }
        let renamed = unfinished.withCString { from in
            table.withCString { to in transferd_rename_new(AT_FDCWD, from, AT_FDCWD, to) }
        }
        guard renamed == 0 || errno == EEXIST else {
            throw .environment("cannot make \(table): \(SystemCalls.words())")
        }
        if let directory = table.directory { SystemCalls.synchronize(directory: directory) }
    }

    private static func build(_ path: FilePath) throws(SQLiteError) {
        let connection = try SQLiteConnection(.empty(path))
        try connection.execute("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL")
        try connection.execute("PRAGMA application_id = \(JobTableSchema.applicationID)")
        try JobTableSchema.migrate(connection, from: 0)
    }
}
