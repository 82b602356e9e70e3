internal import TransferModel

extension Job {
    /// Why the attempt of a job ended that was left running.
    static let interruption = Failure(.temporary, text: "the daemon was interrupted")

    /// The job's attempt, the `tries`th in all, was cut off with its daemon.
    ///
    /// A try that got beyond the farthest one starts the count again; `longestRow` that did not end the job, so that
    /// one that kills the daemon comes to rest. A sealed form may have arrived: `unknownOutcome` says what then.
    mutating func takeBack(at now: Timestamp, longestRow: Int, tries: Int, unknownOutcome: UnknownOutcome) {
        countInterruption()
        lastFailure = Self.interruption
        let sealed = stage == .sealed
        if sealed, unknownOutcome == .hold {
            lastFailure = Failure(
                .unknownOutcome,
                text: "the daemon was interrupted when the server may have had the whole form")
            enter(.held(.unknownOutcome))
        } else if attempts >= longestRow || (kind == .form && tries / Self.formPatience >= longestRow) {
            lastFailure = Failure(
                .permanent,
                text: "the daemon was interrupted too often while it carried this job (try \(tries))")
            enter(.failed(at: now))
        } else {
            if sealed { stage = .sending }
            enter(.queued(retryAt: nil))
        }
        answerRequest(at: now)
    }

    /// A form begins anew each time, so that a daemon killed at random moments would seldom see it get farther than
    /// before: a try of one that moved bytes is not counted, but all its tries together are bounded.
    private static let formPatience = 10

    private mutating func countInterruption() {
        if offset > highWater {
            attempts = 0
        } else if kind != .form || offset == .zero {
            attempts += 1
        }
        highWater = max(highWater, offset)
    }
}
