internal import CSQLite
public import TransferModel

/// The job table: jobs and their attempts in one SQLite database, `jobs.db` in the state directory.
///
/// Belongs to one queue. Every call that writes is one transaction, on the disk when it returns (`synchronous=FULL`).
public final class JobTable: JobStore {
    let connection: SQLiteConnection
    let places: Places
    /// The daemon's proof that it is alone; nil for a client.
    private var lock: DaemonLock?
    /// Retry times farther away than this are the work of a clock that jumped.
    let longestBackOff: Duration
    private var dataVersion: Int64 = 0
    /// The jobs that were claimed through this value.
    var claimed = ClaimedJobs()
    /// The version of the table that ``claimed`` is known to fit.
    var claimedVersion: Int64 = 0
    /// The texts of the updates that were made so far, by the columns that they set.
    var updates: [UInt64: String] = [:]

    init(
        _ connection: SQLiteConnection, places: Places, lock: DaemonLock?, longestBackOff: Duration
    ) throws(StoreError) {
        self.connection = connection
        self.places = places
        self.lock = lock
        self.longestBackOff = longestBackOff
        dataVersion = try guarded { () throws(SQLiteError) in try currentDataVersion() }
        claimedVersion = dataVersion
    }

    /// Whether a daemon works on the table now: this one, or another process that holds the lock.
    public var isDaemonRunning: Bool { lock != nil || DaemonLock.isHeld(places.lock) }

    /// Whether this is the daemon's own.
    var isDaemons: Bool { lock != nil }

    public func hasForeignChanges() throws(StoreError) -> Bool {
        try guarded { () throws(SQLiteError) in
            let version = try currentDataVersion()
            defer { dataVersion = version }
            return version != dataVersion
        }
    }

    func currentDataVersion() throws(SQLiteError) -> Int64 {
        try connection.number("PRAGMA data_version") ?? 0
    }

    /// Queries that need one snapshot.
    func read<Value>(_ body: () throws(SQLiteError) -> Value) throws(StoreError) -> Value {
        try guarded { () throws(SQLiteError) in try connection.transaction(.reading, body) }
    }

    /// One transaction; a client's is announced to the daemon after it is committed, if anything changed.
    func write<Value>(_ body: () throws(SQLiteError) -> Value) throws(StoreError) -> Value {
        let before = connection.totalChanges
        let value = try guarded { () throws(SQLiteError) in try connection.transaction(.writing, body) }
        if !isDaemons, connection.totalChanges != before { TableFiles.touch(places.wake) }
        return value
    }

    func guarded<Value>(_ body: () throws(SQLiteError) -> Value) throws(StoreError) -> Value {
        try Self.guarded(places.jobTable, body)
    }

    /// Runs queries of `table`, and says what a failure means.
    static func guarded<Value>(
        _ table: FilePath, _ body: () throws(SQLiteError) -> Value
    ) throws(StoreError) -> Value {
        do {
            return try body()
        } catch {
            throw error.storeError(table: table)
        }
    }
}
