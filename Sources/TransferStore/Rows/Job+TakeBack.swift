internal import TransferModel

extension Job {
    /// Why the attempt of a job ended that was left running.
    static let interruption = Failure(.temporary, text: "the daemon was interrupted")

    /// The job's attempt was cut off with its daemon.
    ///
    /// A try that got beyond the farthest one starts the count again; `longestRow` that did not end the job, so that
    /// one that kills the daemon comes to rest. A sealed form may have arrived: `unknownOutcome` says what then.
    mutating func takeBack(at now: Timestamp, longestRow: Int, unknownOutcome: UnknownOutcome) {
        attempts = offset > highWater ? 0 : attempts + 1
        highWater = max(highWater, offset)
        lastFailure = Self.interruption
        let sealed = stage == .sealed
        if sealed, unknownOutcome == .hold {
            lastFailure = Failure(
                .unknownOutcome,
                text: "the daemon was interrupted when the server may have had the whole form")
            enter(.held(.unknownOutcome))
        } else if attempts >= longestRow {
            lastFailure = Failure(
                .permanent,
                text:
                    "the daemon was interrupted while it carried this job, \(attempts) tries in a row without progress"
            )
            enter(.failed(at: now))
        } else {
            if sealed { stage = .sending }
            enter(.queued(retryAt: nil))
        }
        answerRequest(at: now)
    }
}
