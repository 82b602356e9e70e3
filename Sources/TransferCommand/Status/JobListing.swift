internal import TransferModel

/// Which jobs `status` shows, in their order, read from the table.
struct JobListing {
    let query: StatusQuery
    let store: any JobStore

    /// Failed jobs are shown for this long unless they are asked for.
    static let failedFor: Duration = .seconds(86_400)

    /// `room` further limits the list, for a screen. The states come one after the other: a million waiting jobs
    /// hide neither what runs nor what failed.
    func jobs(room: Int? = nil, now: Timestamp) throws(StoreError) -> [Job] {
        let limit = [query.limit, room].compactMap(\.self).min()
        if !query.ids.isEmpty { return Array(try chosen().prefix(limit ?? .max)) }
        if query.all && query.states.isEmpty { return try jobs([], limit) }
        guard query.states.isEmpty else { return try jobs(query.states, limit) }
        let running = try jobs([.running], limit)
        let rest = limit.map { max(0, $0 - running.count) }
        let held = try jobs([.held], rest.map { $0 / 4 + 1 })
        // Whoever waited for one was told.
        let failed = try jobs([.failed], rest.map { $0 / 4 + 1 }).filter {
            now.since($0.finishedAt ?? now) < JobListing.failedFor && !$0.description.isWaitedFor
        }
        let queued = try jobs([.queued], rest.map { max(0, $0 - held.count - failed.count) })
        return Array((running + queued + held + failed).prefix(limit ?? .max))
    }

    /// The jobs with the numbers asked for that exist, in that order.
    func chosen() throws(StoreError) -> [Job] { try JobListing.jobs(query.ids, in: store) }

    /// The jobs of `ids` that exist, in that order; a few hundred a statement.
    static func jobs(_ ids: [JobID], in store: any JobStore) throws(StoreError) -> [Job] {
        var found: [JobID: Job] = [:]
        for start in stride(from: 0, to: ids.count, by: 500) {
            var filter = JobFilter()
            filter.ids = Array(ids[start..<min(start + 500, ids.count)])
            for job in try store.jobs(filter) { found[job.id] = job }
        }
        return ids.compactMap { found[$0] }
    }

    /// Oldest first.
    private func jobs(_ states: Set<JobState.Name>, _ limit: Int?) throws(StoreError) -> [Job] {
        if limit == 0 { return [] }
        var filter = JobFilter()
        filter.states = states
        filter.route = query.route
        filter.host = query.host
        filter.limit = limit
        return try store.jobs(filter).reversed()
    }
}
