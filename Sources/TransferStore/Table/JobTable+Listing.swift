public import TransferModel

/// What people ask: one job, its attempts, lists and counts.
extension JobTable {
    public func job(_ id: JobID) throws(StoreError) -> Job? {
        try guarded { () throws(SQLiteError) in try load(id) }
    }

    private static let selectAttempts =
        "SELECT \(Attempt.columns) FROM attempts WHERE job = ?1 ORDER BY number"

    public func attempts(of id: JobID) throws(StoreError) -> [Attempt] {
        try guarded { () throws(SQLiteError) in
            try connection.all(Self.selectAttempts, [.integer(id.rawValue)]) { (row) throws(SQLiteError) in
                try Attempt(row: row)
            }
        }
    }

    /// Seeks in an index for each state, newest first, and reads only the jobs that are returned.
    public func jobs(_ filter: JobFilter) throws(StoreError) -> [Job] {
        try read { () throws(SQLiteError) in
            let numbers =
                try filter.ids.isEmpty ? numbers(filter) : Set(filter.ids.map(\.rawValue)).sorted(by: >)
            var jobs: [Job] = []
            for number in numbers {
                guard jobs.count < filter.limit ?? .max else { break }
                if let job = try load(JobID(rawValue: number)), filter.accepts(job) { jobs.append(job) }
            }
            return jobs
        }
    }

    /// The numbers of the filter's jobs, newest first, cut to its limit.
    private func numbers(_ filter: JobFilter) throws(SQLiteError) -> [Int64] {
        let limit = SQLiteValue.integer(filter.limit ?? -1)
        if filter.states.isEmpty, filter.route == nil, filter.host == nil {
            return try numbers("SELECT id FROM jobs ORDER BY id DESC LIMIT ?1", [limit])
        }
        var found: [Int64] = []
        for state in filter.states.isEmpty ? Set(JobState.Name.allCases) : filter.states {
            let state = SQLiteValue.text(state.rawValue)
            switch (filter.route, filter.host?.lowercased()) {
            case (nil, nil): found += try numbers(Self.selectByState, [state, limit])
            case (nil, let host?): found += try numbers(Self.selectByHost, [state, .text(host), limit])
            case (let route?, let host):
                let hosts = if let host { [host] } else { try hosts(of: route, in: state) }
                for host in hosts {
                    found += try numbers(Self.selectByRoute, [state, .text(route), .text(host), limit])
                }
            }
        }
        return Array(found.sorted(by: >).prefix(filter.limit ?? .max))
    }

    private static let selectByState =
        "SELECT id FROM jobs INDEXED BY jobs_by_state WHERE state = ?1 ORDER BY id DESC LIMIT ?2"
    private static let selectByHost =
        "SELECT id FROM jobs INDEXED BY jobs_by_host WHERE state = ?1 AND host = ?2 ORDER BY id DESC LIMIT ?3"
    private static let selectByRoute = """
        SELECT id FROM jobs INDEXED BY jobs_by_route \
        WHERE state = ?1 AND route = ?2 AND host = ?3 ORDER BY id DESC LIMIT ?4
        """
    private static let selectNextHost = """
        SELECT host FROM jobs INDEXED BY jobs_by_route \
        WHERE state = ?1 AND route = ?2 AND host > ?3 ORDER BY host LIMIT 1
        """

    private func numbers(_ sql: String, _ values: [SQLiteValue]) throws(SQLiteError) -> [Int64] {
        try connection.all(sql, values) { (row) throws(SQLiteError) in row.integer(0) }
    }

    /// The hosts that a route's jobs in one state go to: one, unless the route's address was changed. A seek for each.
    private func hosts(of route: String, in state: SQLiteValue) throws(SQLiteError) -> [String] {
        var hosts: [String] = []
        while let host = try connection.first(
            Self.selectNextHost, [state, .text(route), .text(hosts.last ?? "")],
            { (row) throws(SQLiteError) in row.text(0) })
        {
            hosts.append(host)
        }
        return hosts
    }

    /// From a table of seven rows that triggers keep, whatever the number of jobs.
    public func counts() throws(StoreError) -> [JobState.Name: Int] {
        try guarded { () throws(SQLiteError) in
            let pairs = try connection.all("SELECT state, jobs FROM job_counts WHERE jobs > 0") {
                (row) throws(SQLiteError) in (JobState.Name(rawValue: row.text(0)), Int(row.integer(1)))
            }
            var counts: [JobState.Name: Int] = [:]
            for case (let name?, let count) in pairs { counts[name] = count }
            return counts
        }
    }

    private static let selectPredecessor = """
        SELECT id FROM jobs WHERE kind = 'upload' AND state = 'queued' AND finished_at IS NULL AND url = ?1 \
        AND id < ?2 AND ifnull(not_before, 0) <= ?3 ORDER BY id DESC LIMIT 1
        """
    private static let selectCarrier = """
        SELECT id FROM jobs WHERE kind = 'upload' AND state = 'running' AND finished_at IS NULL AND url = ?1 LIMIT 1
        """

    /// The one right ahead in the order of numbers, else the one that runs; a seek for each.
    public func predecessor(of job: Job, at now: Timestamp) throws(StoreError) -> JobID? {
        guard job.kind == .upload, job.state.name == .queued else { return nil }
        let url = SQLiteValue.text(job.url.description)
        return try guarded { () throws(SQLiteError) in
            let ahead = try connection.number(
                Self.selectPredecessor, url, .integer(job.id.rawValue), .integer(now.rawValue))
            if let ahead { return JobID(rawValue: ahead) }
            return try connection.number(Self.selectCarrier, url).map(JobID.init(rawValue:))
        }
    }

    /// Every job of a query that selects ``JobColumn/selected``.
    func allJobs(_ sql: String, _ values: [SQLiteValue]) throws(StoreError) -> [Job] {
        try guarded { () throws(SQLiteError) in
            try connection.all(sql, values) { (row) throws(SQLiteError) in try Job(row: row) }
        }
    }
}

extension JobFilter {
    /// Whether a job that was found by its number fits the rest of the filter.
    fileprivate func accepts(_ job: Job) -> Bool {
        (states.isEmpty || states.contains(job.state.name)) && (route == nil || route == job.route)
            && (host == nil || host?.lowercased() == job.origin.host)
    }
}
