internal import TransferModel

/// One job's course on a lane.
extension Lane {
    /// How long a job that is to end waits for its stage to be recorded.
    private static let retreatTime = Duration.milliseconds(500)

    /// Runs a job to its end, reports that, and removes what nobody will go on with.
    func carryOne(_ assignment: Assignment) async -> Outcome {
        let (worker, outcome) = await run(assignment)
        let mayDiscard = outcome.leavesRemains ? await leaveRenaming(of: assignment.job.id) : false
        let remains = checkpoint
        // The end says that nothing is left: what cannot be removed now is reported after it.
        if mayDiscard, remains.remains != nil {
            var left = remains
            left.remoteTemporary = nil
            keep(stage, left)
        }
        control.end(assignment.job.id)
        handover.open()
        report(.ended(id, assignment.job.id, outcome, stage: stage, checkpoint: checkpoint))
        if mayDiscard { await worker.discard(remains, on: self) }
        return outcome
    }

    /// A job in stage `renaming` whose temporary file is gone counts as done when the final name is there. So the stage
    /// is left, durably, before the file is removed; false when that could not be had in time, and the file stays.
    private func leaveRenaming(of job: JobID) async -> Bool {
        guard stage == .renaming else { return true }
        var unverified = checkpoint
        unverified.verified = nil
        keep(.sending, unverified)
        let isDurable = await withCheckedContinuation { (continuation: CheckedContinuation<Bool?, Never>) in
            let once = OnceOnly(continuation)
            setAlarm(.pause, after: Self.retreatTime) { once.resume(false) }
            report(.staged(job, .sending, checkpoint, durable: { once.resume(true) }))
        }
        return isDurable ?? false
    }

    func warnOfClearPassword(_ assignment: Assignment) {
        guard case .credentials = assignment.login, [.ftp, .http].contains(origin.scheme),
            origin.scheme == .http || originSettings.tls == .off,
            origin.scheme == .ftp || assignment.request.authentication != .digest,
            memory.isNew(.clearPassword)
        else { return }
        let advice = origin.scheme == .ftp ? "set 'tls = require'" : "use https://"
        let secret = assignment.request.authentication == .bearer ? "token" : "password"
        report(.notice(severity: 4, text: "the \(secret) for \(origin) travels in clear; \(advice)"))
    }
}

extension Outcome {
    /// Whether something may stand somewhere that nobody will go on with.
    fileprivate var leavesRemains: Bool {
        switch self {
        case .cancelled: true
        case .failed(let failure): failure.class == .permanent && failure.scope == .job
        case .arrived, .interrupted: false
        }
    }
}
