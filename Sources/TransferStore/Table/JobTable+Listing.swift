public import TransferModel

/// What people ask: one job, its attempts, lists and counts.
extension JobTable {
    public func job(_ id: JobID) throws(StoreError) -> Job? {
        try guarded { () throws(SQLiteError) in try load(id) }
    }

    private static let selectAttempts =
        "SELECT \(Attempt.columns) FROM attempts WHERE job = ?1 ORDER BY number"

    public func attempts(of id: JobID) throws(StoreError) -> [Attempt] {
        try read { () throws(SQLiteError) in
            let ended = try connection.all(Self.selectAttempts, [.integer(id.rawValue)]) {
                (row) throws(SQLiteError) in try Attempt(row: row)
            }
            let last = try load(id).flatMap { Attempt(of: $0, number: (ended.last?.number ?? 0) + 1) }
            return last.map { ended + [$0] } ?? ended
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

    private static let selectState = "SELECT state FROM jobs WHERE id = ?1"

    public func states(of ids: [JobID]) throws(StoreError) -> [JobID: JobState.Name] {
        try read { () throws(SQLiteError) in
            var states: [JobID: JobState.Name] = [:]
            for id in ids {
                states[id] = try text(Self.selectState, [.integer(id.rawValue)])
                    .flatMap(JobState.Name.init(rawValue:))
            }
            return states
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
            if state == .running {
                found += try runningNumbers(filter)
                continue
            }
            for place in try places(of: filter, in: .text(state.rawValue)) {
                let values: [SQLiteValue] = [
                    .text(state.rawValue), .text(place.host), .text(place.route), limit,
                ]
                found += try numbers(Self.selectListed, values)
            }
        }
        return Array(found.sorted(by: >).prefix(filter.limit ?? .max))
    }

    private static let selectRunningNumbers = """
        SELECT id FROM jobs INDEXED BY jobs_running \
        WHERE state = 'running' AND (?1 IS NULL OR host = ?1) AND (?2 IS NULL OR route = ?2)
        """

    /// No more of them than lanes, so that they are looked at one by one.
    private func runningNumbers(_ filter: JobFilter) throws(SQLiteError) -> [Int64] {
        try numbers(
            Self.selectRunningNumbers,
            [.text(orNull: filter.host?.lowercased()), .text(orNull: filter.route)])
    }

    private static let listed =
        "FROM jobs INDEXED BY jobs_listed WHERE state <> 'running' AND state = ?1"
    private static let selectListed =
        "SELECT id \(listed) AND host = ?2 AND ifnull(route, '') = ?3 ORDER BY id DESC LIMIT ?4"
    private static let selectNextHost = "SELECT host \(listed) AND host > ?2 ORDER BY host LIMIT 1"
    private static let selectNextRoute = """
        SELECT ifnull(route, '') \(listed) AND host = ?2 AND ifnull(route, '') >= ?3 \
        ORDER BY ifnull(route, '') LIMIT 1
        """

    private func numbers(_ sql: String, _ values: [SQLiteValue]) throws(SQLiteError) -> [Int64] {
        try connection.all(sql, values) { (row) throws(SQLiteError) in row.integer(0) }
    }

    /// The pairs of host and route (empty: none) under which the filter's jobs of one state are listed: few, and a seek
    /// for each.
    private func places(
        of filter: JobFilter, in state: SQLiteValue
    ) throws(SQLiteError) -> [(host: String, route: String)] {
        var places: [(host: String, route: String)] = []
        for host in try hosts(of: filter, in: state) {
            var next = filter.route ?? ""
            while let route = try text(Self.selectNextRoute, [state, .text(host), .text(next)]) {
                guard filter.route.map({ $0 == route }) ?? true else { break }
                places.append((host, route))
                next = route + "\u{0}"
            }
        }
        return places
    }

    private func hosts(of filter: JobFilter, in state: SQLiteValue) throws(SQLiteError) -> [String] {
        if let host = filter.host { return [host.lowercased()] }
        var hosts: [String] = []
        while let host = try text(Self.selectNextHost, [state, .text(hosts.last ?? "")]) {
            hosts.append(host)
        }
        return hosts
    }

    private func text(_ sql: String, _ values: [SQLiteValue]) throws(SQLiteError) -> String? {
        try connection.first(sql, values) { (row) throws(SQLiteError) in row.text(0) }
    }

    private static let selectCounts = """
        SELECT state, jobs FROM job_counts WHERE jobs > 0 \
        UNION ALL SELECT 'running', count(*) FROM jobs INDEXED BY jobs_running WHERE state = 'running'
        """

    /// From a table of six rows that triggers keep, whatever the number of jobs; those that run are counted.
    public func counts() throws(StoreError) -> [JobState.Name: Int] {
        try guarded { () throws(SQLiteError) in
            let pairs = try connection.all(Self.selectCounts) {
                (row) throws(SQLiteError) in (JobState.Name(rawValue: row.text(0)), Int(row.integer(1)))
            }
            var counts: [JobState.Name: Int] = [:]
            for case (let name?, let count) in pairs where count > 0 { counts[name] = count }
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
        let url = SQLiteValue.text(job.url.text)
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
