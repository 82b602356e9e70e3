internal import TransferModel

/// Waits until a job is over that somebody sits and waits for.
struct RemoteWait {
    let session: Session
    let id: JobID

    /// Before this nobody wonders.
    private static let moment: Duration = .milliseconds(1500)
    /// How long a job that was given up may take to end.
    private static let patience: Duration = .seconds(3)

    /// The job as it ended; nil when the person gave it up: it is cancelled then.
    func run() throws -> Job? {
        let start = Clock.monotonic()
        var pause = Duration.milliseconds(3)
        var hasSaid = false
        while true {
            let job = try job()
            if job.isOver { return job }
            if Interruption.hasCome { return try giveUp() }
            if !hasSaid, Clock.monotonic().since(start) > Self.moment, let sentence = sentence(job) {
                hasSaid = true
                Complaint.write(sentence)
            }
            repeat {
                Clock.pause(pause)
                pause = min(pause * 2, .milliseconds(50))
                let isDue = !hasSaid && Clock.monotonic().since(start) > Self.moment
                if Interruption.hasCome || isDue { break }
            } while try !session.store.hasForeignChanges()
        }
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
            if try job().isOver { break }
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
