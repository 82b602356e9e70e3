internal import TransferModel

extension Lane {
    /// Runs the job to its end and returns the worker that did.
    ///
    /// A server that refuses a data connection for its TLS session is tried again at once over a fresh connection, and
    /// then without resuming sessions; neither is an attempt of its own. What works is remembered for the origin.
    func run(_ assignment: Assignment) async -> (any Worker, Outcome) {
        var worker = worker(for: assignment)
        var outcome = await outcome(of: worker)
        var refusal: DataRefusal?
        while case .failed = outcome, let found = dataRefusal, let next = sessionReuse.next {
            refusal = refusal ?? found
            dataRefusal = nil
            sessionTrial = next
            control.cutConnection()
            worker = self.worker(for: assignment.goingOn(stage, checkpoint))
            outcome = await self.outcome(of: worker)
        }
        if case .arrived = outcome, let refusal, let sessionTrial { learn(sessionTrial, from: refusal) }
        sessionTrial = nil
        dataRefusal = nil
        return (worker, outcome)
    }

    private func worker(for assignment: Assignment) -> any Worker {
        switch assignment.job.description {
        case .upload: UploadWorker(assignment)
        case .form: FormWorker(assignment)
        case .download: DownloadWorker(assignment)
        case .remote: RemoteWorker(assignment)
        }
    }

    private func outcome(of worker: any Worker) async -> Outcome {
        do {
            try checkStop()
            return .arrived(try await worker.run(on: self))
        } catch let failure as Failure {
            return .failed(failure)
        } catch let stop as Stop {
            switch stop {
            case .cancelled: return .cancelled
            case .interrupted: return .interrupted
            }
        } catch let error as SystemError {
            return .failed(error.failure)
        } catch {
            return .failed(Failure(.local, text: "\(error)"))
        }
    }

    // MARK: TLS sessions

    /// How the job that runs uses them.
    var sessionReuse: OriginMemory.SessionReuse { sessionTrial ?? memory.sessionReuse }

    /// What a request over TLS tells of the server's liking for sessions.
    func noteSession(_ answer: Answer, movesData: Bool) {
        if answer.isFresh { hasCarriedData = false }
        guard movesData else { return }
        hasCarriedData = true
        dataRefusal = DataRefusal(answer)
        if answer.error == nil, sessionTrial == nil { memory.trust() }
    }

    private func learn(_ reuse: OriginMemory.SessionReuse, from refusal: DataRefusal) {
        guard memory.confirm(reuse, isCertain: refusal.isCertain), memory.isNew(.sessionReuse) else { return }
        report(
            .notice(
                severity: 4,
                text: "\(origin) refused a data connection: \(refusal.text); \(reuse.consequence)"))
    }
}
