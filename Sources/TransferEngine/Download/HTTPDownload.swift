internal import TransferModel

/// Fetches a file over HTTP: asks, follows, goes on, and starts again, until the file is whole or the attempt is lost.
struct HTTPDownload {
    private let place: DownloadPlace
    private let fetch: HTTPFetch

    /// Answers that could not be used: one for a range, one for a compressed file.
    private static let mostRestarts = 2
    /// How long others are left alone before their segments are looked at.
    private static let patience = Duration.seconds(1)

    init(_ place: DownloadPlace, _ terms: RequestTerms) {
        self.place = place
        fetch = HTTPFetch(place: place, terms: terms)
    }

    /// Returns when the file is whole; whether its length is verified.
    func run(on lane: isolated Lane) async throws -> Bool {
        guard var question = try await firstQuestion(on: lane) else { return true }
        var restarts = 0
        while true {
            switch try await ask(question, on: lane) {
            case .append(let piece), .replace(let piece):
                switch place.conclude(piece) {
                case .whole(let isVerified): return isVerified
                case .failed(let failure): throw failure
                case .goOn:
                    guard let next = try await next(question, piece.validator, on: lane) else { return true }
                    question = next
                }
            case .complete:
                place.segment?.endFile()
                return true
            case .unchanged: throw place.notModified
            case .askAgain(let next, let reason):
                restarts += 1
                guard restarts <= Self.mostRestarts else { throw Failure(.temporary, text: reason) }
                lane.report(.notice(severity: 6, text: "job \(place.job.id) starts again: \(reason)"))
                question = next
            case .failed(let failure): throw failure
            case .redirected: preconditionFailure("redirects are followed where they come")
            }
        }
    }

    /// nil when an earlier attempt has brought everything.
    private func firstQuestion(on lane: isolated Lane) async throws -> DownloadQuestion? {
        var question = DownloadQuestion(hasChecksum: place.hasChecksum)
        let known = place.known(lane.checkpoint)
        guard DownloadQuestion.canResume(known, hasChecksum: place.hasChecksum),
            let file = try await place.resume(on: lane)
        else {
            question.conditions = try await place.standing(on: lane)?.conditions ?? []
            return question
        }
        question.known = known
        guard let segment = file.take() else { return nil }
        place.enter(segment)
        question.aim(at: segment.window, of: file.total)
        return question
    }

    /// Asks, and goes on by itself where the connection is cut after it brought something.
    private func ask(
        _ question: DownloadQuestion, on lane: isolated Lane
    ) async throws -> HTTPDownloadDecision {
        var question = question
        while true {
            do {
                return try await fetch.ask(question, on: lane) { begin($0, $1, on: lane) }
            } catch let failure as Failure {
                guard let segment = place.segment, failure.isCut(after: segment.gain), !segment.isThrough,
                    let known = lane.checkpoint.validator
                else { throw failure }
                segment.release()
                guard let next = try await next(question, known, on: lane) else { throw failure }
                lane.report(.notice(severity: 6, text: "job \(place.job.id) goes on: \(failure.text)"))
                question = next
            }
        }
    }

    private func begin(
        _ decision: HTTPDownloadDecision, _ body: DownloadBody, on lane: isolated Lane
    ) -> Bool {
        switch decision {
        case .append(let piece):
            guard let segment = place.segment else {
                preconditionFailure("a part is only asked for where there is a file that lacks it")
            }
            place.append(piece, body, in: segment, on: lane)
        case .replace(let piece):
            if !place.hold(body, piece, on: lane) { place.replace(with: piece, body, on: lane) }
        case .complete, .unchanged, .askAgain, .redirected, .failed: return false
        }
        return true
    }

    /// The question for the next part of the file, nil when all of it is there: what nobody fetches, else a part of what
    /// takes others long. Waits where they are nearly through.
    private func next(
        _ question: DownloadQuestion, _ known: Checkpoint.Validator, on lane: isolated Lane
    ) async throws -> DownloadQuestion? {
        guard let file = place.file else { preconditionFailure("a file has been begun") }
        while !file.isWritten {
            let changes = place.share.changes
            if let segment = file.take() {
                guard DownloadQuestion.canResume(known, hasChecksum: place.hasChecksum) else {
                    throw Failure(
                        .temporary,
                        text: "the server sends the file in parts and does not say to which version each of "
                            + "them belongs")
                }
                place.enter(segment)
                var next = question
                next.known = known
                next.aim(at: segment.window, of: file.total)
                return next
            }
            try await lane.wait { (done: @escaping @Sendable (()) -> Void) in
                lane.remind(after: Self.patience) { done(()) }
                place.share.wake(after: changes) { done(()) }
            }
            lane.forgetReminder()
        }
        return nil
    }
}
