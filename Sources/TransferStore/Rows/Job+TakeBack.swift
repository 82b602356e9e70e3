internal import TransferModel

extension Job {
    /// Why the attempt of a job ended that was left running.
    static let interruption = Failure(.temporary, text: "the daemon was interrupted")

    /// The same of a form of which the last buffer may have been sent.
    static let unknownInterruption = Failure(
        .unknownOutcome, text: "the daemon was interrupted when the server may have had the whole form")

    /// How the attempt that was cut off ended.
    var interruption: Failure { stage == .sealed ? Self.unknownInterruption : Self.interruption }

    /// The job's attempt, the `interruptions`th in a row that ended so, was cut off with its daemon.
    ///
    /// An interruption says nothing against the job and is not counted as a failed try. But a job that kills the daemon
    /// must come to rest: with the `longestRow`th in a row it fails, unless this one got beyond the farthest. A sealed
    /// form may have arrived: `unknownOutcome` says what then.
    mutating func takeBack(
        at now: Timestamp, longestRow: Int, interruptions: Int, unknownOutcome: UnknownOutcome
    ) {
        let gained = offset > highWater
        if gained { attempts = 0 }
        highWater = max(highWater, offset)
        lastFailure = interruption
        let sealed = stage == .sealed
        if sealed, unknownOutcome == .hold {
            enter(.held(.unknownOutcome))
        } else if interruptions >= longestRow, !gained {
            lastFailure = Failure(
                .permanent,
                text: "the daemon was interrupted \(interruptions) times in a row while it carried this job")
            enter(.failed(at: now))
        } else {
            if sealed { stage = .sending }
            enter(.queued(retryAt: nil))
        }
        answerRequest(at: now)
    }
}
