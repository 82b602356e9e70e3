/// One thing that must travel, as its row in the job table says.
public struct Job: Hashable, Sendable {
    public let id: JobID
    private let order: Order
    public var state: JobState
    public var request: JobRequest?
    /// The most that a person lets it move; anybody may change it at any time.
    public var rate: Rate?
    /// Where the bytes of the last attempt began.
    public var startOffset: ByteCount
    /// How far the job is, in bytes; for a download durable on disk, for an upload handed to the connection.
    public var offset: ByteCount
    /// How far it goes; nil while nobody knows.
    public var limit: ByteCount?
    /// A download whose bytes are not the file's first, since several connections fetched it: those that are still to
    /// come. `offset` is then the count of the others.
    public var missing: [Window]
    /// The farthest that any attempt came; a try that gets beyond it starts the count of ``attempts`` again.
    public var highWater: ByteCount
    public var stage: Stage
    @Boxed public var checkpoint: Checkpoint
    /// Tries in a row that got no further than ``highWater``: the wait between them grows with the count, and the tenth
    /// that reached the data ends the job.
    public var attempts: Int
    /// Past it a waiting job ends; a retry asked for by a person grants the same span again.
    public var expiresAt: Timestamp
    public var startedAt: Timestamp?
    public var finishedAt: Timestamp?
    @Boxed public var lastFailure: Failure?
    public var reply: Reply?
    /// `sha256:HEX` of what travelled, where it was computed, and other proof in words.
    public var digest: String?
    /// Whether the files the job owns have been deleted or archived; true for a job that owns none.
    public var disposed: Bool

    /// Claimed while all lanes were busy: it is `running` in the table, but its attempt has not begun.
    public var isAhead: Bool

    public var route: String? { order.route }
    public var url: TransferURL { order.url }
    public var description: JobDescription { order.description }
    /// Higher goes first; 0 by default.
    public var priority: Int { order.priority }
    public var label: String? { order.label }
    /// The same in every attempt; sent in a form's header.
    public var idempotencyKey: String { order.idempotencyKey }
    /// The person's wish, on the wall clock; never clamped.
    public var notBefore: Timestamp? { order.notBefore }
    public var createdAt: Timestamp { order.createdAt }

    public var kind: JobKind { order.description.kind }
    public var origin: Origin { order.url.origin }

    /// What was asked for and never changes: all copies of a job share it.
    private final class Order: Hashable, Sendable {
        let route: String?
        let url: TransferURL
        let description: JobDescription
        let priority: Int
        let label: String?
        let idempotencyKey: String
        let notBefore: Timestamp?
        let createdAt: Timestamp

        init(_ new: NewJob) {
            route = new.route
            url = new.url
            description = new.description
            priority = new.priority
            label = new.label
            idempotencyKey = new.idempotencyKey
            notBefore = new.notBefore
            createdAt = new.createdAt
        }

        static func == (one: Order, other: Order) -> Bool {
            one === other
                || one.route == other.route && one.url == other.url && one.description == other.description
                    && one.priority == other.priority && one.label == other.label
                    && one.idempotencyKey == other.idempotencyKey && one.notBefore == other.notBefore
                    && one.createdAt == other.createdAt
        }

        func hash(into hasher: inout Hasher) {
            hasher.combine(url)
            hasher.combine(idempotencyKey)
        }
    }

    public init(
        id: JobID, new: NewJob, state: JobState, request: JobRequest? = nil,
        startOffset: ByteCount = .zero, offset: ByteCount = .zero, limit: ByteCount? = nil,
        missing: [Window] = [], highWater: ByteCount = .zero, stage: Stage = .sending,
        checkpoint: Checkpoint = Checkpoint(), attempts: Int = 0,
        startedAt: Timestamp? = nil, finishedAt: Timestamp? = nil, lastFailure: Failure? = nil,
        reply: Reply? = nil, digest: String? = nil, disposed: Bool = false, isAhead: Bool = false
    ) {
        self.id = id
        order = Order(new)
        rate = new.rate
        expiresAt = new.expiresAt
        self.state = state
        self.request = request
        self.startOffset = startOffset
        self.offset = offset
        self.limit = limit
        self.missing = missing
        self.highWater = highWater
        self.stage = stage
        _checkpoint = Boxed(checkpoint)
        self.attempts = attempts
        self.startedAt = startedAt
        self.finishedAt = finishedAt
        _lastFailure = Boxed(lastFailure)
        self.reply = reply
        self.digest = digest
        self.disposed = disposed
        self.isAhead = isAhead
    }
}

/// A job that is not in the table yet.
public struct NewJob: Hashable, Sendable {
    public var route: String?
    public var url: TransferURL
    public var description: JobDescription
    public var priority: Int
    public var label: String?
    public var idempotencyKey: String
    public var notBefore: Timestamp?
    public var expiresAt: Timestamp
    public var createdAt: Timestamp
    /// The announced size of the source; nil for a download.
    public var limit: ByteCount?
    public var rate: Rate?

    public init(
        route: String? = nil, url: TransferURL, description: JobDescription, priority: Int = 0,
        label: String? = nil, idempotencyKey: String, notBefore: Timestamp? = nil, expiresAt: Timestamp,
        createdAt: Timestamp, limit: ByteCount? = nil, rate: Rate? = nil
    ) {
        self.route = route
        self.url = url
        self.description = description
        self.priority = priority
        self.label = label
        self.idempotencyKey = idempotencyKey
        self.notBefore = notBefore
        self.expiresAt = expiresAt
        self.createdAt = createdAt
        self.limit = limit
        self.rate = rate
    }
}

/// One try of a job: a row that stays when the job goes on.
public struct Attempt: Hashable, Sendable {
    public let job: JobID
    /// From 1 on, without gaps, whether the try counted or not.
    public let number: Int
    public let startedAt: Timestamp
    public var endedAt: Timestamp?
    /// Where the bytes of this try began and how far they came, in the file.
    public var startOffset: ByteCount
    public var endOffset: ByteCount
    /// nil while running and after success.
    public var failure: Failure?

    public init(
        job: JobID, number: Int, startedAt: Timestamp, endedAt: Timestamp? = nil,
        startOffset: ByteCount = .zero,
        endOffset: ByteCount = .zero, failure: Failure? = nil
    ) {
        self.job = job
        self.number = number
        self.startedAt = startedAt
        self.endedAt = endedAt
        self.startOffset = startOffset
        self.endOffset = endOffset
        self.failure = failure
    }
}
