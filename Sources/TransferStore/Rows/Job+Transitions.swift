internal import TransferModel

/// What happens to a job, as a change of its value; the table only writes the result down.
extension Job {
    /// A job as it is admitted: due at once unless its person wished otherwise.
    init(admitting new: NewJob) {
        self.init(id: JobID(rawValue: 0), new: new, state: .queued(retryAt: nil), limit: new.limit)
        disposed = !leavesFiles
    }

    /// Whether files in the spool or in the intake directory go when the job has ended.
    var ownsFiles: Bool { description.sources.contains { $0.root == .spool || $0.root == .intake } }

    /// Whether files stand somewhere that go when the job has ended; a download that did not arrive leaves what it has.
    var leavesFiles: Bool { ownsFiles || kind == .download }

    /// Goes to `state`; the end's time is the state's.
    mutating func enter(_ state: JobState) {
        self.state = state
        isAhead = false
        switch state {
        case .queued, .held: finishedAt = nil
        case .running(let since):
            startedAt = since
            finishedAt = nil
        case .done(let time), .failed(let time), .cancelled(let time), .expired(let time):
            finishedAt = time
            request = nil
            if kind == .download, state.name == .done { disposed = true }
            if kind == .upload, state.name != .done { giveUp() }
        }
    }

    /// What an upload has begun at its server goes, as its files do; then a final name of the right size says nothing.
    private mutating func giveUp() {
        if stage == .renaming, checkpoint.isInPlace != true { stage = .sending }
        if checkpoint.remains != nil { disposed = false }
    }

    /// A new attempt begins, or will when a lane is free (`ahead`); it has handed nothing to a server yet, so that an older
    /// one's seal is gone and a form, which cannot be resumed, is at its start.
    mutating func begin(at now: Timestamp, ahead: Bool) {
        enter(.running(since: now))
        isAhead = ahead
        request = nil
        unseal()
        if kind == .form { offset = .zero }
        startOffset = offset
    }

    mutating func move(_ moved: Advance) {
        startOffset = moved.start
        offset = moved.offset
        limit = moved.limit
        missing = moved.missing
    }

    /// The attempt of a job that was claimed ahead begins.
    mutating func start(at now: Timestamp) { enter(.running(since: now)) }

    /// What was claimed could not start: it waits again, and that was no attempt.
    mutating func putBack() {
        enter(.queued(retryAt: nil))
        startedAt = nil
    }

    /// The attempt has ended. A request that came in the meantime is carried out on what it left; an end stands.
    mutating func end(_ ending: Ending) {
        attempts = ending.attempts
        startOffset = ending.start
        offset = ending.offset
        limit = ending.limit
        missing = ending.missing
        highWater = max(highWater, ending.offset)
        stage = ending.stage
        enter(ending.state)
        reply = ending.reply
        digest = ending.digest
        if ending.failure != nil || ending.state.name == .done { lastFailure = ending.failure }
    }

    /// Carries out what was asked while the job ran, now that it does not.
    mutating func answerRequest(at now: Timestamp) {
        let asked = request
        request = nil
        switch (asked, state) {
        case (.cancel, .queued), (.cancel, .held): enter(.cancelled(at: now))
        case (.hold, .queued): enter(.held(.byRequest))
        case (.cancel, _), (.hold, _), (.release, _), (.retry, _), (nil, _): break
        }
    }

    /// Does what a person asked of a job that does not run; returns why not, or nil.
    mutating func apply(_ request: JobRequest, becoming state: JobState, at now: Timestamp) -> String? {
        self.request = nil
        if request == .retry {
            if let refusal = refusalOfRetry { return refusal }
            prepareRetry(at: now)
            self.request = .retry
        }
        enter(state)
        return nil
    }

    /// Files that were handed over are gone once a job that needs them no more was disposed of; those of the spool
    /// were moved to where the description says.
    private var refusalOfRetry: String? {
        let handedOver = description.sources.contains { $0.root == .intake }
        switch state {
        case .done, .cancelled: return disposed && handedOver ? "its files are gone; enqueue it again" : nil
        case .queued, .running, .held, .failed, .expired: return nil
        }
    }

    /// A person decided: the job is due, its origin is to be tried again (the daemon sees that in `request`), the count
    /// starts again, and an unknown outcome no longer stands in the way.
    private mutating func prepareRetry(at now: Timestamp) {
        attempts = 0
        reply = nil
        unseal()
        if state.name.isFinal {
            digest = nil
            disposed = !leavesFiles
            if kind == .upload { beginNewLife() }
        }
        if expiresAt <= now { expiresAt = now + expiresAt.since(createdAt) }
    }

    /// What the job had begun at its server is removed, or has been; a file that is in place is gone on with.
    private mutating func beginNewLife() {
        guard checkpoint.isInPlace != true, checkpoint.isDirect != true else { return }
        checkpoint = checkpoint.begunAnew
        checkpoint.life = (checkpoint.life ?? 1) + 1
    }

    private mutating func unseal() {
        if stage == .sealed { stage = .sending }
    }
}
