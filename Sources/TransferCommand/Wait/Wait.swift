internal import TransferModel

/// The command `wait`: returns when every job is over or waits for a person.
struct Wait {
    let session: Session
    let json: Bool

    func run(_ ids: [JobID], timeout: Duration?) throws -> ExitStatus {
        var ended: [Job] = []
        let pending = try look(ids, isFirst: true, &ended)
        return try wait(pending, ended, timeout: timeout)
    }

    /// The same for jobs that were admitted a moment ago.
    func run(admitted ids: [JobID]) throws -> ExitStatus {
        var ended: [Job] = []
        let pending = try lookAtNext(of: ids, &ended)
        return try wait(pending, ended, timeout: nil)
    }

    private func wait(_ ids: [JobID], _ first: [Job], timeout: Duration?) throws -> ExitStatus {
        let deadline = timeout.map { Clock.monotonic() + $0 }
        var pending = ids
        var ended = first
        var pause = Pause()
        while !pending.isEmpty {
            let left = deadline.map { $0.since(Clock.monotonic()) }
            if let left, left <= .zero { break }
            Clock.pause(min(pause.next(), left ?? .seconds(1)))
            if try session.store.hasForeignChanges() {
                let before = pending.count
                try pending = lookAtNext(of: pending, &ended)
                if pending.count < min(before, Self.batch) { pause = Pause() }
            }
        }
        session.output.flush()
        return WaitResult(ended: ended, pending: pending, timeout: timeout).report()
    }

    /// How many jobs are looked at when the table has changed: many would cost the daemon the processor.
    private static let batch = 64

    /// Jobs end about in their order: those after the first ones that are not over are left for later.
    private func lookAtNext(of pending: [JobID], _ ended: inout [Job]) throws -> [JobID] {
        var rest = pending[...]
        while !rest.isEmpty {
            let next = rest.prefix(Self.batch)
            let left = try look(Array(next), isFirst: false, &ended)
            rest = left + rest.dropFirst(next.count)
            if !left.isEmpty { break }
        }
        return Array(rest)
    }

    /// The jobs of `pending` that still have something before them.
    private func look(_ pending: [JobID], isFirst: Bool, _ ended: inout [Job]) throws -> [JobID] {
        let jobs = try JobListing.jobs(pending, in: session.store)
        if let missing = Set(pending).subtracting(jobs.map(\.id)).min() {
            throw CommandError.usage(Sentences.unknown(missing, among: pending.count - jobs.count))
        }
        let over = jobs.filter(\.isOver)
        if json { for job in over { session.line(JobRecord(job, places: session.places).json) } }
        session.output.flush()
        ended += over
        let rest = jobs.filter { !$0.isOver }.map(\.id)
        if isFirst, !rest.isEmpty, !session.isDaemonRunning() {
            Complaint.write(
                "no transferd is running for '\(Shown.bytes(session.places.state.bytes))'; "
                    + "waiting until one comes and carries \(Shown.count(rest.count, "job"))")
        }
        return rest
    }

    /// Short at first, for what is over in a moment.
    private struct Pause {
        private var length: Duration = .milliseconds(5)

        mutating func next() -> Duration {
            defer { length = min(length * 2, .milliseconds(50)) }
            return length
        }
    }
}

extension Job {
    /// At its end, or waiting for a person.
    var isOver: Bool { state.name.isFinal || state.name == .held }
}
