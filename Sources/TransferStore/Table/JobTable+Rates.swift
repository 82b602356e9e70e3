public import TransferModel

/// The rates of jobs; anybody writes them, and only those of running jobs mean something at once.
extension JobTable {
    public func limit(
        _ rate: Rate?, of id: JobID, at now: Timestamp
    ) throws(StoreError) -> RequestAnswer {
        try write { () throws(SQLiteError) in
            guard let job = try load(id) else { return .unknownJob }
            if job.state.name.isFinal { return .refused("it is \(job.state.name.rawValue)") }
            try write(rate: rate, of: id)
            return job.state.name == .running && isDaemonRunning ? .asked : .applied(job.state)
        }
    }

    private static let selectRates = """
        SELECT job, bytes_per_second FROM rates WHERE EXISTS (
            SELECT 1 FROM jobs WHERE id = job AND finished_at IS NULL)
        """

    public func rates() throws(StoreError) -> [JobID: Rate] {
        try guarded { () throws(SQLiteError) in
            let pairs = try connection.all(Self.selectRates) { (row) throws(SQLiteError) in
                (JobID(rawValue: row.integer(0)), Rate(bytesPerSecond: row.integer(1)))
            }
            return Dictionary(pairs.compactMap { id, rate in rate.map { (id, $0) } }) { first, _ in first }
        }
    }

    private static let selectAnyRate = "SELECT max(job) FROM rates"
    private static let selectRate = "SELECT bytes_per_second FROM rates WHERE job = ?1"
    private static let deleteRate = "DELETE FROM rates WHERE job = ?1"
    private static let insertRate = "INSERT INTO rates (job, bytes_per_second) VALUES (?1, ?2)"

    /// Whether any job has a rate: most tables never have one, and then no job is asked for.
    func hasRates() throws(SQLiteError) -> Bool { try connection.number(Self.selectAnyRate) != nil }

    func rate(of id: JobID) throws(SQLiteError) -> Rate? {
        try connection.number(Self.selectRate, .integer(id.rawValue)).flatMap(Rate.init(bytesPerSecond:))
    }

    func write(rate: Rate?, of id: JobID) throws(SQLiteError) {
        try connection.run(Self.deleteRate, .integer(id.rawValue))
        guard let rate else { return }
        try connection.run(Self.insertRate, .integer(id.rawValue), .integer(rate.bytesPerSecond))
    }
}
