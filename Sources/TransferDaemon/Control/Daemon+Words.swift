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
            log(.warning, "\(what)\(error) \(tail)\(wait)")
        case .held(.unknownOutcome):
            log(.error, "outcome unknown, held until 'retry'\(error) \(tail)")
        case .held(.byRequest): log(.information, "held by request \(tail)")
        case .failed: log(job.description.isWaitedFor ? .information : .error, "failed\(error) \(tail)")
        case .cancelled: log(.information, "cancelled by request \(tail)")
        case .expired, .running: preconditionFailure("no attempt ends in \(ending.state.name.rawValue)")
        }
    }
}
