internal import TransferModel

/// Waits until a job is over that somebody sits and waits for.
struct RemoteWait {
    let session: Session
    let id: JobID

    /// Before this nobody wonders.
    private static let moment: Duration = .milliseconds(1500)
    /// When an origin that is down or whose login was refused is tried all the same, since somebody asks.
    private static let firstAsk: Duration = .milliseconds(150)
    private static let nextAsk: Duration = .seconds(5)
    /// How long a job that was given up may take to end.
    private static let patience: Duration = .seconds(3)

    /// The job as it ended; nil when the person gave it up: it is cancelled then.
    func run() throws -> Job? {
        let start = Clock.monotonic()
        var hasSaid = false
        var asksAt = start + Self.firstAsk
        while true {
            let job = try job()
            if job.state.name.isOver { return job }
            if Interruption.hasCome { return try giveUp() }
            let now = Clock.monotonic()
            if job.state.name == .queued, now > asksAt {
                asksAt = now + Self.nextAsk
                _ = try session.store.request(.retry, of: id, at: Clock.now())
            }
            if !hasSaid, now.since(start) > Self.moment, let sentence = sentence(job) {
                hasSaid = true
                Complaint.write(sentence)
            }
            try pause(upTo: now.since(start) < Self.moment ? Self.firstAsk : .seconds(1))
        }
    }

    /// Until the table has changed, a signal has come, or that time is up.
    private func pause(upTo longest: Duration) throws {
        let end = Clock.monotonic() + longest
        var length = Duration.milliseconds(3)
        repeat {
            Clock.pause(length)
            length = min(length * 2, .milliseconds(50))
        } while try !Interruption.hasCome && Clock.monotonic() < end && !session.store.hasForeignChanges()
    }

    private func job() throws -> Job {
        guard let job = try session.store.job(id) else { throw CommandError.later("the job \(id) is gone") }
        return job
    }

    /// Why nothing comes; nil: it is being done.
    private func sentence(_ job: Job) -> String? {
        guard session.isDaemonRunning() else {
            return "transferd has stopped; waiting until it runs again (job \(id); Ctrl-C gives it up)"
        }
        guard job.state.name == .queued else { return nil }
        return "waiting: all connections to \(Shown.text(job.origin.description)) are in use, or it is being "
            + "tried by another job (job \(id); Ctrl-C gives it up)"
    }

    private func giveUp() throws -> Job? {
        let answer = try session.store.request(.cancel, of: id, at: Clock.now())
        let start = Clock.monotonic()
        while case .asked = answer, session.isDaemonRunning(), Clock.monotonic().since(start) < Self.patience
        {
            if try job().state.name.isOver { break }
            Clock.pause(.milliseconds(20))
        }
        ResultFile.remove(id, in: session.places)
        let state = try job().state.name
        Complaint.write(
            state == .done
                ? "job \(id) was done before it could be given up"
                : "given up: job \(id) is \(state.rawValue)")
        return nil
    }
}
