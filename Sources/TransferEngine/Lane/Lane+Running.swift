internal import TransferModel

extension Lane {
    /// Runs the job to its end and returns the worker that did.
    ///
    /// A server that ends a data connection because TLS begins on it too early is tried again at once with a later
    /// beginning; one that refuses it for its TLS session over a fresh connection, and then without resuming sessions.
    /// None of it is an attempt of its own. What works is remembered for the origin.
    func run(_ assignment: Assignment) async -> (any Worker, Outcome) {
        var worker = worker(for: assignment)
        var outcome = await outcome(of: worker)
        if case .failed = outcome, hasGreetedTooEarly, !holdsGreeting {
            holdsGreetingForTrial = true
            control.cutConnection()
            worker = self.worker(for: assignment.goingOn(stage, checkpoint))
            outcome = await self.outcome(of: worker)
            if case .arrived = outcome { learnToHoldGreeting() }
        }
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
        holdsGreetingForTrial = false
        hasGreetedTooEarly = false
        return (worker, Withheld(assignment.login).from(outcome))
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
        hasGreetedTooEarly = answer.hasGreetedTooEarly
        if answer.error == nil, sessionTrial == nil { memory.trust() }
    }

    /// Whether nothing is sent on a data connection before the server asks for it.
    var holdsGreeting: Bool { holdsGreetingForTrial || memory.holdsGreeting }

    private func learnToHoldGreeting() {
        memory.holdsGreeting = true
        guard memory.isNew(.holdsGreeting) else { return }
        report(
            .notice(
                severity: 6,
                text:
                    "\(origin) ends a data connection on which TLS begins before the transfer; it begins later "
                    + "from now on"))
    }

    private func learn(_ reuse: OriginMemory.SessionReuse, from refusal: DataRefusal) {
        guard memory.confirm(reuse, isCertain: refusal.isCertain), memory.isNew(.sessionReuse) else { return }
        report(
            .notice(
                severity: 4,
                text: "\(origin) refused a data connection: \(refusal.text); \(reuse.consequence)"))
    }
}
