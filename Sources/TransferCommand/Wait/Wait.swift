internal import TransferModel

/// The command `wait`: returns when every job is over or waits for a person.
struct Wait {
    let session: Session
    let json: Bool

    func run(_ ids: [JobID], timeout: Duration?) throws -> ExitStatus {
        var result = WaitResult(pending: ids, timeout: timeout)
        try look(at: ids.count, isFirst: true, &result)
        return try wait(result)
    }

    /// The same for jobs that were admitted a moment ago.
    func run(admitted ids: [JobID]) throws -> ExitStatus {
        var result = WaitResult(pending: ids, timeout: nil)
        try lookAtNext(&result)
        return try wait(result)
    }

    private func wait(_ first: WaitResult) throws -> ExitStatus {
        var result = first
        let deadline = result.timeout.map { Clock.monotonic() + $0 }
        var pause = Pause()
        while !result.pending.isEmpty {
            let left = deadline.map { $0.since(Clock.monotonic()) }
            if let left, left <= .zero { break }
            Clock.pause(min(pause.length, left ?? .seconds(1)))
            let before = result.pending.count
            if try session.store.hasForeignChanges() { try lookAtNext(&result) }
            pause.adapt(to: before - result.pending.count, left: result.pending.count)
        }
        session.output.flush()
        return result.report()
    }

    /// How many jobs are looked at when the table has changed: many would cost the daemon the processor.
    private static let batch = 64

    /// Jobs end about in their order: those after the first ones that are not over are left for later.
    private func lookAtNext(_ result: inout WaitResult) throws {
        var isThrough = false
        while !isThrough, !result.pending.isEmpty {
            let before = result.pending.count
            try look(at: Self.batch, isFirst: false, &result)
            isThrough = before - result.pending.count < min(before, Self.batch)
        }
    }

    /// Takes those of the first `count` pending jobs that have nothing more before them.
    private func look(at count: Int, isFirst: Bool, _ result: inout WaitResult) throws {
        let looked = Array(result.pending.prefix(count))
        let states = try session.store.states(of: looked)
        if let missing = looked.filter({ states[$0] == nil }).min() {
            throw CommandError.usage(Sentences.unknown(missing, among: looked.count - states.count))
        }
        var rest = looked.filter { states[$0]?.isOver == false }
        // Of a job that has arrived nothing more need be read.
        let over = looked.filter { states[$0]?.isOver == true && (json || states[$0] != .done) }
        result.arrived += looked.count - rest.count - over.count
        for job in try JobListing.jobs(over, in: session.store) {
            // Somebody may have let it go on since its state was read.
            guard job.state.name.isOver else {
                rest.append(job.id)
                continue
            }
            if json { session.line(JobRecord(job, places: session.places).json) }
            if job.state.name == .done { result.arrived += 1 } else { result.missed.append(job) }
        }
        session.output.flush()
        result.pending.replaceSubrange(..<looked.count, with: rest)
        if isFirst, !rest.isEmpty, !session.isDaemonRunning() {
            Complaint.write(
                "no transferd is running for '\(Shown.bytes(session.places.state.bytes))'; "
                    + "waiting until one comes and carries \(Shown.count(rest.count, "job"))")
        }
    }

    /// How long nobody looks: half of the time that what is left is likely to take, as far as the last look tells.
    private struct Pause {
        private(set) var length = Self.shortest

        private static let shortest: Duration = .milliseconds(5)
        private static let longest: Duration = .milliseconds(50)

        mutating func adapt(to ended: Int, left: Int) {
            let next = ended > 0 ? length * left / (2 * ended) : length * 2
            length = min(max(next, Self.shortest), Self.longest)
        }
    }
}

extension JobState.Name {
    /// At its end, or waiting for a person.
    var isOver: Bool { isFinal || self == .held }
}
