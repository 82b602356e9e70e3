/// What happened to a job, to be recorded.
public enum JobChange: Hashable, Sendable {
    case admitted(NewJob)
    /// The same in the place of an earlier job with its key, which goes; while that one is not at its end nothing happens.
    case renewed(NewJob)
    /// A poll's findings.
    case polled(PollRecord)
    /// The bytes of a running job moved: the job's offset and limit, and where its attempt began.
    case progressed(JobID, Advance)
    /// A running job entered a stage, or learned what a later attempt needs; its bytes may have moved before.
    case staged(JobID, Stage, Checkpoint, Advance? = nil)
    /// The attempt of a running job ended; the job goes to `ending.state`.
    case ended(JobID, Ending)
    /// The attempt of a job that was claimed ahead has begun.
    case started(JobID, at: Timestamp)
    /// A claimed job could not start: it waits again, and no attempt was made.
    case returned(JobID)
    /// A request was carried out or refused: cleared. A job that does not run goes to `state` where one is given.
    case answered(JobID, state: JobState?)
    /// What is not as it should be with origins now, all of it; what was recorded before goes.
    case troubled([OriginTrouble])
    /// The job's own files were deleted, archived or moved to `failed`; `description` where they have a new place.
    case disposed(JobID, JobDescription?)
}

/// How far the bytes of an attempt came: `start ..< offset` of `limit`.
public struct Advance: Hashable, Sendable {
    public let start: ByteCount
    public let offset: ByteCount
    public let limit: ByteCount?
    /// A download whose bytes are not the file's first: those that are still to come. `offset` is then the count of the
    /// others.
    public let missing: [Window]

    public init(start: ByteCount, offset: ByteCount, limit: ByteCount?, missing: [Window] = []) {
        self.start = start
        self.offset = offset
        self.limit = limit
        self.missing = missing
    }
}

/// How an attempt's end is recorded.
public struct Ending: Hashable, Sendable {
    /// The job's next state.
    public var state: JobState
    /// nil after success.
    public var failure: Failure?
    /// The job's count of tries without progress, as ``RetryPolicy`` says.
    public var attempts: Int
    public var start: ByteCount
    public var offset: ByteCount
    public var limit: ByteCount?
    /// As in ``Advance/missing``.
    public var missing: [Window]
    public var stage: Stage
    public var reply: Reply?
    public var digest: String?

    public init(
        state: JobState, failure: Failure? = nil, attempts: Int, start: ByteCount, offset: ByteCount,
        limit: ByteCount?, missing: [Window] = [], stage: Stage, reply: Reply? = nil, digest: String? = nil
    ) {
        self.state = state
        self.failure = failure
        self.attempts = attempts
        self.start = start
        self.offset = offset
        self.limit = limit
        self.missing = missing
        self.stage = stage
        self.reply = reply
        self.digest = digest
    }
}

/// Everything that one turn of the control queue wants recorded: one transaction.
public struct Turn: Hashable, Sendable {
    /// Carried out in order, before the claims.
    public var changes: [JobChange] = []
    public var claims: [Claim] = []
    /// Whether jobs past their `expires` end as `expired`, and retry times beyond the longest back-off are clamped.
    public var sweeps = false

    public init(changes: [JobChange] = [], claims: [Claim] = [], sweeps: Bool = false) {
        self.changes = changes
        self.claims = claims
        self.sweeps = sweeps
    }

    public var isEmpty: Bool { changes.isEmpty && claims.isEmpty && !sweeps }

    /// Up to `count` due jobs of one origin are to become `running`, and after them up to `ahead` more, which have not
    /// begun before ``JobChange/started(_:at:)``.
    public struct Claim: Hashable, Sendable {
        public let origin: Origin
        public let count: Int
        public let ahead: Int

        public init(origin: Origin, count: Int, ahead: Int = 0) {
            self.origin = origin
            self.count = count
            self.ahead = ahead
        }
    }
}

/// What a turn came to, durable when it is returned.
public struct Committed: Hashable, Sendable {
    /// In the order of the turn's admissions.
    public var admitted: [JobID] = []
    /// In the order of the turn's claims, each due job once: higher priority first, then the longest due, then the
    /// lowest id. Each is in an attempt now, unless it was claimed ahead.
    public var claimed: [Job] = []
    public var expired: [JobID] = []
    /// Whether jobs that waited for one of the turn's jobs to end are due now.
    public var hasReleased = false

    public init() {}
}
