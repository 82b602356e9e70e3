public import TransferModel

extension JobTable {
    public func request(
        _ request: JobRequest, of id: JobID, at now: Timestamp
    ) throws(StoreError) -> RequestAnswer {
        defer { claimed.suspectAll() }
        return try write { () throws(SQLiteError) in
            guard let job = try load(id) else { return .unknownJob }
            // Asked inside the transaction: a daemon that takes the lock after this waits for the end of it.
            let running = job.state.name == .running
            return running && !isDaemonRunning
                ? try requestOfOrphan(request, job, at: now) : try requestOf(job, request, at: now)
        }
    }

    private func requestOf(
        _ found: Job, _ request: JobRequest, at now: Timestamp
    ) throws(SQLiteError) -> RequestAnswer {
        var job = found
        switch job.state.applying(request, at: now) {
        case .refused(let reason): return .refused(reason)
        case .needsDaemon:
            job.request = request
            try update(job, from: found)
            return .asked
        case .becomes(let state):
            if let reason = job.apply(request, becoming: state, at: now) { return .refused(reason) }
            try update(job, from: found)
            return .applied(job.state)
        }
    }

    /// The job was left running by a daemon that is gone: taken back first, as the next daemon would.
    ///
    /// What was asked before is overruled; a hold of a form that may have arrived is one for the unknown outcome.
    private func requestOfOrphan(
        _ request: JobRequest, _ orphan: Job, at now: Timestamp
    ) throws(SQLiteError) -> RequestAnswer {
        var job = orphan
        job.request = nil
        if orphan.isAhead {
            job.putBack()
        } else {
            job.takeBack(
                at: now, longestRow: .max, interruptions: 0,
                unknownOutcome: job.description.requestWishes.unknownOutcomePolicy)
        }
        switch job.state.applying(request, at: now) {
        case .refused(let reason) where !(request == .hold && job.state.name == .held):
            return .refused(reason)
        case .refused, .needsDaemon: break
        case .becomes(let state): _ = job.apply(request, becoming: state, at: now)
        }
        try update(job, from: orphan)
        if !orphan.isAhead { try recordInterruption(of: orphan, at: now) }
        return .applied(job.state)
    }

    private static let selectRequests =
        "SELECT \(JobColumn.selected) FROM jobs INDEXED BY jobs_requests WHERE request IS NOT NULL"

    public func requests() throws(StoreError) -> [Job] { try allJobs(Self.selectRequests, []) }
}
