public import TransferModel

/// What becomes of a job's file once the job's end is recorded.
public enum Disposal: Hashable, Sendable {
    case delete
    /// Into the route's `sent`.
    case archive
    /// Into the route's `failed`, with the reason beside it as `NAME.reason`.
    case keepFailed(FailedReason)
}

/// Why a file lies in `failed`.
public struct FailedReason: Hashable, Sendable {
    /// One sentence.
    public let text: String
    /// nil for a file that never became a job.
    public let job: JobID?
    /// nil: the file's own time must do.
    public let time: Timestamp?

    public init(_ text: String, job: JobID?, at time: Timestamp?) {
        self.text = text
        self.job = job
        self.time = time
    }
}
