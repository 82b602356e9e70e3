internal import TransferModel

/// The commands `cancel`, `hold`, `release`, `retry` and `rate`.
struct Ask {
    let session: Session
    let json: Bool

    func run(_ request: JobRequest, of ids: [JobID]) throws -> ExitStatus {
        try each(ids, doing: request.rawValue) { id in
            let answer = try session.store.request(request, of: id, at: Clock.now())
            switch answer {
            case .applied(let state): try say(id, "job \(id) is \(Ask.word(state))")
            case .asked: try say(id, "job \(id) is running; \(promise(request))")
            case .refused, .unknownJob: break
            }
            return answer
        }
    }

    func limit(_ rate: Rate?, of ids: [JobID]) throws -> ExitStatus {
        let words = rate.map { "moves at most \($0) bytes a second" } ?? "has no rate of its own"
        return try each(ids, doing: "limit") { id in
            let answer = try session.store.limit(rate, of: id, at: Clock.now())
            switch answer {
            case .applied, .asked: try say(id, "job \(id) \(words)")
            case .refused, .unknownJob: break
            }
            return answer
        }
    }

    /// Every job is asked, also after one that refused; each refusal is a sentence of its own.
    private func each(
        _ ids: [JobID], doing: String, _ ask: (JobID) throws -> RequestAnswer
    ) throws -> ExitStatus {
        var refused = false
        var unknown = false
        for id in ids {
            switch try ask(id) {
            case .applied, .asked: break
            case .refused(let why):
                refused = true
                Complaint.write("cannot \(doing) job \(id): \(Shown.text(why))")
            case .unknownJob:
                unknown = true
                Complaint.write(Sentences.unknown(id, among: 1))
            }
        }
        session.output.flush()
        return unknown ? .usage : refused ? .notArrived : .success
    }

    private func say(_ id: JobID, _ sentence: String) throws {
        guard json else { return session.output.line(sentence) }
        guard let job = try session.store.job(id) else { return }
        session.line(JobRecord(job, places: session.places).json)
    }

    private func promise(_ request: JobRequest) -> String {
        session.isDaemonRunning()
            ? "transferd has been asked to \(request.rawValue) it"
            : "transferd will \(request.rawValue) it when it starts"
    }

    private static func word(_ state: JobState) -> String {
        switch state {
        case .held(.unknownOutcome): "held, since nobody knows whether it arrived"
        case .held(.byRequest), .queued, .running, .done, .failed, .cancelled, .expired: state.name.rawValue
        }
    }
}
