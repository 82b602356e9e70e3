internal import CLinux
internal import CSQLite
internal import Glibc
public import TransferModel

extension JobTable {
    /// How long opening waits for another program's lock; afterwards the daemon never waits.
    private static let openingTimeout = Duration.seconds(5)

    /// A log larger than this is cut when it has been written back. Source:
    /// https://www.sqlite.org/pragma.html#pragma_journal_size_limit
    static let longestLog = 16 << 20

    /// Pages in the log at which it is written back: many small jobs change the same pages again and again, and each
    /// write-back holds up the control queue for two syncs.
    private static let pagesToWriteBack = 3_000

    /// Opens the table as the one daemon that works on it, for as long as the value lives.
    ///
    /// Takes the lock, makes what is missing in the state directory, brings an older table to this version. A second
    /// daemon, a newer, damaged or foreign table are ``StoreError/unusable(_:)``. Afterwards no call waits for a lock.
    public static func openForDaemon(
        _ places: Places, longestBackOff: Duration = .seconds(3600)
    ) throws(StoreError) -> JobTable {
        try TableFiles.makeDirectory(places.state)
        let lock = try DaemonLock(places.lock)
        if try !TableFiles.exists(places.jobTable) { try TableFiles.create(places.jobTable) }
        try TableFiles.makeFile(places.wake)
        try TableFiles.makeDirectory(places.intake)
        let connection = try connect(places.jobTable, as: "transferd", migrating: true)
        connection.setBusyTimeout(.zero)
        return try JobTable(connection, places: places, lock: lock, longestBackOff: longestBackOff)
    }

    /// Opens the table beside a daemon or without one; calls wait up to `busyTimeout` for another program's lock.
    ///
    /// A missing table is made only in a directory that the caller owns, so that its owner and mode are right. A table
    /// of another version is refused. Every commit is announced through `wake`.
    public static func openForClient(
        _ places: Places, busyTimeout: Duration = .seconds(5), longestBackOff: Duration = .seconds(3600)
    ) throws(StoreError) -> JobTable {
        guard let status = status(following: places.state), SystemCalls.isDirectory(status) else {
            throw .unusable("there is no directory \(places.state): start transferd, or make the directory")
        }
        try checkPermission(places.state, W_OK | X_OK)
        if try !TableFiles.exists(places.jobTable) { try createForClient(places, owner: status.st_uid) }
        try checkPermission(places.jobTable, R_OK | W_OK)
        let connection = try connect(places.jobTable, as: "transferctl", migrating: false)
        connection.setBusyTimeout(busyTimeout)
        return try JobTable(connection, places: places, lock: nil, longestBackOff: longestBackOff)
    }

    private static func status(following path: FilePath) -> stat? {
        var status = stat()
        return path.withCString { stat($0, &status) } == 0 ? status : nil
    }

    private static func createForClient(_ places: Places, owner: uid_t) throws(StoreError) {
        guard owner == geteuid() else {
            throw .unusable(
                "there is no job table in \(places.state), which belongs to another user: start transferd, which "
                    + "makes it")
        }
        guard !DaemonLock.isHeld(places.lock) else {
            throw .busy("another program is making the job table \(places.jobTable) just now")
        }
        let lock = try DaemonLock(places.lock)
        try TableFiles.create(places.jobTable)
        try TableFiles.makeFile(places.wake)
        try TableFiles.makeDirectory(places.intake)
        withExtendedLifetime(lock) {}
    }

    /// SQLite would open what it may not write for reading, and fail later with less to say.
    private static func checkPermission(_ path: FilePath, _ access: Int32) throws(StoreError) {
        guard path.withCString({ faccessat(AT_FDCWD, $0, access, AT_EACCESS) }) != 0 else { return }
        throw .unusable(
            "you may not write \(path) (\(SystemCalls.words())): become a member of its group, or run as its owner"
        )
    }

    /// An open, configured connection to a table that is what it should be.
    private static func connect(
        _ table: FilePath, as program: String, migrating: Bool
    ) throws(StoreError) -> SQLiteConnection {
        let connection = try guarded(table) { () throws(SQLiteError) in
            let connection = try SQLiteConnection(.existing(table))
            connection.setBusyTimeout(openingTimeout)
            return connection
        }
        let version = try identify(connection, table)
        guard version == JobTableSchema.version || (migrating && version < JobTableSchema.version) else {
            throw .unusable(refusal(of: version, table, program))
        }
        let difference = try guarded(table) { () throws(SQLiteError) in
            try connection.execute("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL")
            try connection.execute("PRAGMA journal_size_limit = \(longestLog); PRAGMA temp_store = MEMORY")
            try connection.execute("PRAGMA wal_autocheckpoint = \(pagesToWriteBack)")
            if version < JobTableSchema.version { try JobTableSchema.migrate(connection, from: version) }
            try connection.execute("PRAGMA foreign_keys = ON")
            return try JobTableSchema.difference(connection)
        }
        if let difference {
            throw .unusable(
                "the job table \(table) was changed: its '\(difference)' is not what \(program) made")
        }
        return connection
    }

    /// The version of the table; throws where it is none.
    private static func identify(_ connection: SQLiteConnection, _ table: FilePath) throws(StoreError) -> Int
    {
        let (application, version) = try guarded(table) { () throws(SQLiteError) in
            (try connection.number("PRAGMA application_id"), try connection.number("PRAGMA user_version"))
        }
        guard application == JobTableSchema.applicationID, let version, version > 0 else {
            throw .unusable("\(table) is a database, but not a job table of transferd")
        }
        return Int(version)
    }

    private static func refusal(of version: Int, _ table: FilePath, _ program: String) -> String {
        let start =
            "the job table \(table) is of version \(version), this \(program) speaks \(JobTableSchema.version)"
        return version < JobTableSchema.version
            ? "\(start): start the transferd of the same version, which brings it up to date"
            : "\(start): install the newer version of transferd that made it"
    }
}
