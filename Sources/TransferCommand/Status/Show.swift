internal import TransferModel

/// The command `show`: everything about a job.
struct Show {
    let session: Session
    let json: Bool

    func run(_ ids: [JobID]) throws -> ExitStatus {
        let jobs = try JobListing.jobs(ids, in: session.store)
        for (index, job) in jobs.enumerated() {
            let attempts = try session.store.attempts(of: job.id)
            if json {
                session.line(JobRecord(job, places: session.places).json(with: attempts))
            } else {
                if index > 0 { session.output.line("") }
                let now = Clock.now()
                let report = JobReport(
                    job: job, attempts: attempts, places: session.places, now: now,
                    predecessor: try session.predecessor(of: job, now: now))
                for line in report.lines { session.output.line(line) }
            }
        }
        session.output.flush()
        let missing = Set(ids).subtracting(jobs.map(\.id))
        guard let first = missing.min() else { return .success }
        throw CommandError.usage(Sentences.unknown(first, among: missing.count))
    }
}
