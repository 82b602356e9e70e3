import TransferModel

/// What the log says of a job's way: one line a transition.
extension Daemon {
    func say(_ ending: Ending, of job: Job) {
        if job.description.isPoll, ending.state.name == .done || ending.state.name == .failed { return }
        let reached = ending.limit.map { "\(ending.offset)/\($0)" } ?? "\(ending.offset)"
        let tail = "id=\(job.id) kind=\(job.kind.rawValue) url=\(job.url) bytes=\(reached)"
        let error = ending.failure.map { ": \($0.text)" } ?? ""
        switch ending.state {
        case .done: log(.information, "arrived \(tail)")
        case .queued(let retryAt):
            guard ending.failure != nil else { return log(.information, "put down, to go on later \(tail)") }
            let wait =
                retryAt.map { " retry_in=\(max($0.since(clock.wall), .zero).components.seconds)s" } ?? ""
            let isUnknown = ending.failure?.class == .unknownOutcome
            let what = isUnknown ? "outcome unknown, to be sent again" : "did not get there yet"
            log(severity(of: ending, job), "\(what)\(error) \(tail)\(wait)")
        case .held(.unknownOutcome):
            log(.error, "outcome unknown, held until 'retry'\(error) \(tail)")
        case .held(.byRequest): log(.information, "held by request \(tail)")
        case .failed: log(job.description.isWaitedFor ? .information : .error, "failed\(error) \(tail)")
        case .cancelled: log(.information, "cancelled by request \(tail)")
        case .expired, .running: preconditionFailure("no attempt ends in \(ending.state.name.rawValue)")
        }
    }

    /// What is out of order on this machine is tried again every few seconds, for days if need be: it is not said each time.
    private func severity(of ending: Ending, _ job: Job) -> Log.Severity {
        guard let failure = ending.failure, failure.class == .local, failure.scope == .job else {
            duties.saidOfJobs.end(job.id)
            return .warning
        }
        return duties.saidOfJobs.isNews(failure.text, of: job.id, now: clock.now) ? .warning : .debugging
    }
}
