extension JobState {
    /// What a request makes of a job that does not run.
    public enum Applied: Hashable, Sendable {
        case becomes(JobState)
        /// Only the daemon can do it, since the job runs.
        case needsDaemon
        /// One sentence, without the job's number.
        case refused(String)
    }

    /// What `request` does in this state; the table of every pair.
    ///
    /// `retry` of a queued job makes it due at once. An unknown outcome is lifted by `retry` alone.
    public func applying(_ request: JobRequest, at now: Timestamp) -> Applied {
        switch (self, request) {
        case (.running, .cancel), (.running, .hold): .needsDaemon
        case (.running, .release), (.running, .retry): .refused("it is running")
        case (.queued, .cancel), (.held, .cancel): .becomes(.cancelled(at: now))
        case (.queued, .hold): .becomes(.held(.byRequest))
        case (.held, .hold): .refused("it is held already")
        case (.held(.byRequest), .release): .becomes(.queued(retryAt: nil))
        case (.held(.unknownOutcome), .release):
            .refused("nobody knows whether it arrived; only 'retry' sends it again")
        case (.queued, .release): .refused("it is not held")
        case (.queued, .retry), (.held, .retry), (.failed, .retry), (.cancelled, .retry), (.expired, .retry):
            .becomes(.queued(retryAt: nil))
        case (.done, _): .refused("it is done")
        case (.failed, _): .refused("it has failed; 'retry' sends it again")
        case (.cancelled, _): .refused("it is cancelled; 'retry' sends it again")
        case (.expired, _): .refused("it has expired; 'retry' sends it again")
        }
    }
}
