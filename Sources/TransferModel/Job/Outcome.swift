/// How an attempt ended, in the words of the worker that carried it; ``RetryPolicy`` says what it means to the job.
public enum Outcome: Hashable, Sendable {
    /// There and verified; for an upload and a download also renamed.
    case arrived(Arrival)
    case failed(Failure)
    /// Stopped by the daemon (shutdown, hold): to go on later, no attempt counted.
    case interrupted
    /// Stopped because a person cancelled the job; what the worker could remove at the other side is removed.
    case cancelled

    public struct Arrival: Hashable, Sendable {
        /// `sha256:HEX` where it was computed, else nil.
        public var digest: String?
        public var reply: Reply?
        /// How many bytes the whole thing has.
        public var size: ByteCount
        /// Whether the job's own origin carried it: what came from a mirror, or needed no server any more, says nothing of
        /// that one.
        public var isOfOrigin = true

        public init(size: ByteCount, digest: String? = nil, reply: Reply? = nil) {
            self.size = size
            self.digest = digest
            self.reply = reply
        }
    }
}
