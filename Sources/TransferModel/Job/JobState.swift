/// Where a job stands, with all that is known only there.
///
/// The job table repeats these cases with CHECK constraints. What a job keeps across states (how far it is, its last
/// error, its stage) are columns of their own: ``Job``.
public enum JobState: Hashable, Codable, Sendable {
    /// Waiting for its time and a lane; `retryAt` is set after a failed attempt.
    case queued(retryAt: Timestamp?)
    /// On a lane since `since`.
    case running(since: Timestamp)
    /// Waiting for a person.
    case held(HoldReason)
    /// There, verified, and its source disposed of or about to be.
    case done(at: Timestamp)
    case failed(at: Timestamp)
    case cancelled(at: Timestamp)
    case expired(at: Timestamp)

    /// The name in the table and in `--json`.
    public var name: Name {
        switch self {
        case .queued: .queued
        case .running: .running
        case .held: .held
        case .done: .done
        case .failed: .failed
        case .cancelled: .cancelled
        case .expired: .expired
        }
    }

    public enum Name: String, CaseIterable, Codable, Sendable {
        case queued, running, held, done, failed, cancelled, expired

        /// Whether nothing will happen to the job any more unless a person asks for a retry.
        public var isFinal: Bool {
            switch self {
            case .queued, .running, .held: false
            case .done, .failed, .cancelled, .expired: true
            }
        }
    }
}

/// Why a job waits for a person.
public enum HoldReason: String, CaseIterable, Codable, Sendable {
    /// `transferctl hold`; lifted by `release`.
    case byRequest
    /// The server may or may not have had the whole form: lifted only by `retry ID`.
    case unknownOutcome
}

/// What a person asked of a job that only the daemon may change.
public enum JobRequest: String, CaseIterable, Codable, Sendable {
    case cancel, hold, release, retry
}

/// How far a job is inside its last steps; kept across attempts, because it decides what an interrupted one means.
public enum Stage: String, CaseIterable, Codable, Sendable {
    /// Bytes are moving or about to; nothing final has been asked of the other side.
    case sending
    /// Form: the last buffer may be handed to the server. Without an answer from here on the outcome is unknown.
    case sealed
    /// Upload, download: verified whole under its temporary name; only the rename is left.
    case renaming
}
