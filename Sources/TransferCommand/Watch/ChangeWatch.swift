internal import TransferModel

/// `status --watch` into a pipe or file: a line for each job, then one for each change of it.
struct ChangeWatch {
    let session: Session
    let query: StatusQuery

    /// Until the reader goes away, or until the jobs asked for are over.
    func run() throws -> ExitStatus {
        var known: [JobID: Job] = [:]
        var meter = SpeedMeter()
        while true {
            known = try look(known, &meter)
            session.output.flush()
            if !query.ids.isEmpty, known.values.allSatisfy(\.state.name.isOver) { return .success }
            repeat {
                guard session.output.waitForReader(.seconds(1)) else { return .success }
            } while try !session.store.hasForeignChanges()
        }
    }

    /// Says what is new of the jobs listed, and how those ended that were listed a moment ago.
    private func look(_ known: [JobID: Job], _ meter: inout SpeedMeter) throws -> [JobID: Job] {
        let listed = try JobListing(query: query, store: session.store).jobs(now: Clock.now())
        let gone = Set(known.keys).subtracting(listed.map(\.id))
        let followed = try JobListing.jobs(gone.sorted(), in: session.store)
        let time = Clock.monotonic()
        for job in listed + followed {
            let speed = meter.speed(of: job, at: time)
            if known[job.id] != job { try say(job, speed) }
        }
        let kept = listed + followed.filter { !$0.state.name.isFinal }
        return Dictionary(kept.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
    }

    private func say(_ job: Job, _ speed: Speed?) throws {
        guard !query.json else { return session.line(JobRecord(job, places: session.places).json) }
        let now = Clock.now()
        let line = JobLine(
            job, speed: speed, behind: try session.predecessor(of: job, now: now), now: now)
        let texts = [
            TimeText.local(now), "job \(line.id)", line.kind, line.state, line.percent, line.progress,
            line.rate, line.next, line.place, line.error,
        ]
        session.output.line(texts.filter { !$0.isEmpty }.joined(separator: " "))
    }
}
