import Testing
import TransferModel

@testable import TransferStore

/// A claim costs the same however many jobs wait.
@Suite struct CostTests {
    private func store(_ count: Int) throws -> (StatePlaces, JobTable) {
        let state = try StatePlaces()
        let table = try state.daemon()
        let id = try table.admit(Example.upload(to: "ftp://down.example/a", key: "down"))
        _ = try table.claim(try Example.url("ftp://down.example/").origin)
        let failure = Failure(.temporary, scope: .origin, text: "no route to host")
        try table.commit(
            .ended(id, Example.ending(.queued(retryAt: Example.now + .seconds(60)), failure: failure)))
        try table.multiply(id, to: count)
        for number in 0..<100 { _ = try table.admit(Example.upload(key: "up\(number)")) }
        return (state, table)
    }

    private func turn(_ table: JobTable) throws {
        let origins = [try Example.url().origin, try Example.url("ftp://down.example/").origin]
        let claims = origins.map { Turn.Claim(origin: $0, count: 4) }
        _ = try table.commit(Turn(claims: claims, sweeps: true), at: Example.now)
        _ = try table.demands()
        _ = try table.nextExpiry()
        _ = try table.requests()
        _ = try table.undisposed(limit: 100)
        _ = try table.counts()
        _ = try table.hasForeignChanges()
    }

    /// Lists with every combination of state, route and host, with and without hits.
    private func lists(_ table: JobTable) throws {
        for states: Set<JobState.Name> in [[], [.queued], [.failed], [.queued, .done]] {
            for route in [nil, "lab", "none"] {
                for host in [nil, "files.example", "down.example", "none"]
                where route != "lab" || host != "none" {
                    var filter = JobFilter()
                    (filter.states, filter.route, filter.host, filter.limit) = (states, route, host, 20)
                    _ = try table.jobs(filter)
                }
            }
        }
    }

    @Test func `turns and cut lists with a hundred thousand jobs cost at most twice those with a thousand`()
        throws
    {
        let (small, few) = try store(1_000)
        let (large, many) = try store(100_000)
        for work in [turn, lists] {
            let costs = try (few.costs { try work(few) }, many.costs { try work(many) })
            #expect(costs.1.steps <= 2 * costs.0.steps, "\(costs)")
            #expect(costs.1.scannedRows <= 2 * costs.0.scannedRows, "\(costs)")
        }
        withExtendedLifetime((small, large)) {}
    }

    @Test func `a claim among thousands of uploads to one address costs what it costs among a few`() throws {
        let costs = try [100, 10_000].map { count in
            let state = try StatePlaces()
            let table = try state.daemon()
            let id = try table.admit(Example.upload(key: "first"))
            try table.multiply(id, to: count)
            let origin = try Example.url().origin
            let cost = try table.costs {
                let job = try Example.unwrap(try table.claim(origin).first)
                try table.commit(.ended(job.id, Example.ending(.done(at: Example.now))))
            }
            withExtendedLifetime(state) {}
            return cost
        }
        #expect(costs[1].steps <= 2 * costs[0].steps, "\(costs)")
        #expect(costs[1].scannedRows <= 2 * costs[0].scannedRows, "\(costs)")
    }

    @Test func `no statement of a turn reads a table from end to end or sorts`() throws {
        let state = try StatePlaces()
        let table = try state.daemon()
        try turn(table)
        let id = try table.admitRunning(Example.upload(key: "a"))
        _ = try table.request(.cancel, of: id, at: Example.now)
        try table.commit(
            .progressed(id, Advance(start: .zero, offset: .zero, limit: nil)),
            .staged(id, .renaming, Checkpoint()),
            .answered(id, state: nil), .ended(id, Example.ending(.done(at: Example.now))), .disposed(id, nil))
        _ = try table.takeBack(at: Example.now, longestRow: 10) { _ in .hold }
        _ = try table.spoolJobs(at: try Example.unwrap(FilePath("a")))
        _ = try table.attempts(of: id)
        for (route, host) in [(nil, nil), ("r", nil), (nil, "h"), ("r", "h")] as [(String?, String?)] {
            var filter = JobFilter()
            (filter.states, filter.route, filter.host) = ([.queued], route, host)
            _ = try table.jobs(filter)
        }
        // These partial indexes hold only what is asked for.
        let whole = ["jobs_requests", "jobs_undisposed", "jobs_expiry"]
        for (sql, step) in try table.plans()
        where !sql.contains("FROM job_counts") && !sql.contains("sqlite_schema") {
            let allowed =
                step.hasPrefix("SEARCH") || whole.contains { step.hasSuffix($0) }
                || step.contains("CONSTANT ROW") || step.contains("SUBQUERY") || step.hasPrefix("LIST")
            #expect(allowed, "\(step) in \(sql)")
        }
        withExtendedLifetime(state) {}
    }
}
