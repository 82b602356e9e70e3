internal import TransferModel

/// What `status` says of one job, as texts.
struct JobLine: Hashable {
    var id: String
    var state: String
    var kind: String
    var percent: String
    /// `offset/limit`.
    var progress: String
    var rate: String
    var remaining: String
    /// The number of the try that runs or comes next, once there was one.
    var attempt: String
    /// When something happens next, or what it takes.
    var next: String
    var place: String
    var error: String
    /// From 0 to 1; nil while nobody knows.
    var fraction: Double?

    /// `predecessor`: the job that has to end before this one starts.
    init(_ job: Job, speed: Speed?, behind predecessor: JobID? = nil, now: Timestamp) {
        id = job.id.description
        state = job.state.name.rawValue
        kind = job.kind.rawValue
        percent = Amount.percent(job.offset, of: job.limit) ?? ""
        progress = JobLine.progress(job)
        rate = speed?.text ?? ""
        remaining = ""
        if let speed, let limit = job.limit, let time = speed.time(for: limit - job.offset) {
            remaining = Amount.duration(time)
        }
        attempt = job.attempts > 0 && !job.state.name.isFinal ? "\(job.attempts + 1)" : ""
        next = JobLine.next(job, behind: predecessor, now)
        place = JobLine.place(job)
        let failure = job.state.name == .done ? nil : job.lastFailure
        error = failure.map { Sentences.outcome($0, of: job) + Shown.text($0.text) } ?? ""
        if let limit = job.limit, limit > .zero {
            fraction = min(1, Double(job.offset.rawValue) / Double(limit.rawValue))
        }
    }

    private static func progress(_ job: Job) -> String {
        guard job.offset > .zero || job.limit != nil else { return "" }
        return "\(Amount.size(job.offset))/\(job.limit.map(Amount.size) ?? "?")"
    }

    private static func place(_ job: Job) -> String {
        let url = Shown.text(job.url.description)
        switch job.description {
        case .upload, .form: return url
        case .download(let download): return "\(url) -> \(Shown.bytes(download.target.bytes))"
        case .remote(let remote): return "\(RemoteWords.order(remote.operation)) \(url)"
        }
    }

    private static func next(_ job: Job, behind predecessor: JobID?, _ now: Timestamp) -> String {
        if let request = job.request { return "\(request.rawValue) asked" }
        switch job.state {
        case .queued(let retryAt):
            if let predecessor, job.notBefore ?? now <= now { return "after job \(predecessor)" }
            let due = max(retryAt ?? now, job.notBefore ?? now)
            return due > now ? "in \(Amount.duration(due.since(now)))" : ""
        case .held(.byRequest): return "at release"
        case .held(.unknownOutcome): return "at retry"
        case .running, .done, .failed, .cancelled, .expired: return ""
        }
    }
}
