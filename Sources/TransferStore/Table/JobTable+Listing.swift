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
        var (query, values) = Self.query(filter)
        values.append(.integer(filter.limit ?? -1))
        guard query.seeksState else { return try numbers(query.sql, values) }
        var found: [Int64] = []
        for state in filter.states.isEmpty ? Set(JobState.Name.allCases) : filter.states {
            found += try numbers(query.sql, [.text(state.rawValue)] + values)
        }
        return Array(found.sorted(by: >).prefix(filter.limit ?? .max))
    }

    private func numbers(_ sql: String, _ values: [SQLiteValue]) throws(SQLiteError) -> [Int64] {
        try connection.all(sql, values) { (row) throws(SQLiteError) in row.integer(0) }
    }

    /// The query for one state, with its values after the state.
    private static func query(_ filter: JobFilter) -> (Query, [SQLiteValue]) {
        let host = filter.host?.lowercased()
        return switch (filter.route, host) {
        case (let route?, let host?): (.route(andHost: true), [.text(route), .text(host)])
        case (let route?, nil): (.route(andHost: false), [.text(route)])
        case (nil, let host?): (.host, [.text(host)])
        case (nil, nil): (filter.states.isEmpty ? .everything : .state, [])
        }
    }

    private enum Query {
        case everything
        case state
        case route(andHost: Bool)
        case host

        var seeksState: Bool {
            switch self {
            case .everything: false
            case .state, .route, .host: true
            }
        }

        var sql: String {
            switch self {
            case .everything: "SELECT id FROM jobs ORDER BY id DESC LIMIT ?1"
            case .state: Self.select("jobs_by_state", "", 2)
            case .host: Self.select("jobs_by_host", "AND host = ?2", 3)
            case .route(andHost: false): Self.select("jobs_by_route", "AND route = ?2", 3)
            case .route(andHost: true): Self.select("jobs_by_route", "AND route = ?2 AND host = ?3", 4)
            }
        }

        private static func select(_ index: String, _ condition: String, _ limit: Int) -> String {
            "SELECT id FROM jobs INDEXED BY \(index) WHERE state = ?1 \(condition) ORDER BY id DESC LIMIT ?\(limit)"
        }
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
