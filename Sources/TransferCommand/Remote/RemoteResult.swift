internal import TransferModel

/// Shows what came of a remote job, and removes its result.
struct RemoteResult {
    let session: Session
    let view: ResultView

    /// Throws where the result could not be put anyway, before anything is asked of the server.
    func check() throws(CommandError) {
        if let output = view.output { try OutputFile.check(output) }
    }

    /// Says how it ended, and returns the exit status for it.
    func show(_ job: Job) throws -> ExitStatus {
        guard case .remote(let remote) = job.description else {
            throw CommandError.usage("job \(job.id) is no remote operation; it has no result")
        }
        guard job.state.name.isOver else {
            throw CommandError.later("job \(job.id) is \(job.state.name.rawValue); it has no result yet")
        }
        try print(job, remote.operation)
        session.output.flush()
        guard session.output.failure == nil, !session.output.isBroken else { return .success }
        ResultFile.remove(job.id, in: session.places)
        return status(job)
    }

    private func print(_ job: Job, _ operation: RemoteOperation) throws {
        guard let file = try ResultFile.open(job.id, in: session.places) else {
            return try missing(job, operation)
        }
        switch operation {
        case .list: try ListingView(output: session.output, view: view).show(file)
        case .get: try content(of: file)
        case .quote: try QuoteView(output: session.output, json: view.json).show(file)
        case .check: try CheckView(output: session.output, json: view.json).show(file)
        case .remove, .removeRemains, .rename, .makeDirectory, .removeDirectory, .poll, .putAway: break
        }
    }

    private func missing(_ job: Job, _ operation: RemoteOperation) throws {
        guard operation.bringsResult, job.state.name == .done else { return }
        throw CommandError.usage("the result of job \(job.id) is gone: it was read, or kept too long")
    }

    private func content(of file: borrowing ResultFile) throws {
        if let path = view.output {
            let output = try OutputFile(path)
            try file.read { try output.write($0) }
            try output.finish()
        } else {
            try file.read { bytes in
                session.output.write(bytes)
                try session.output.check()
            }
        }
    }

    /// Of what may go better later the status tells scripts so.
    private func status(_ job: Job) -> ExitStatus {
        let said = job.lastFailure.map { Shown.text($0.text) }
        switch job.state {
        case .done: return .success
        case .failed:
            Complaint.write(said ?? "it did not work")
            switch job.lastFailure?.class {
            case .temporary, .local, .unknownOutcome: return .later
            case .permanent, nil: return .notArrived
            }
        case .queued, .running, .held:
            Complaint.write(Sentences.end(of: job))
            return .later
        case .cancelled, .expired:
            Complaint.write(Sentences.end(of: job))
            return .notArrived
        }
    }
}
