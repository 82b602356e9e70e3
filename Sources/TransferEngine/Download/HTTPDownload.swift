internal import TransferModel

/// Fetches a file over HTTP: asks, follows, goes on, and starts again, until the file is whole or the attempt is lost.
struct HTTPDownload {
    private let place: DownloadPlace
    private let terms: RequestTerms

    private static let mostRedirects = 10
    /// Answers that could not be used: one for a range, one for a compressed file.
    private static let mostRestarts = 2

    init(_ place: DownloadPlace, _ terms: RequestTerms) {
        self.place = place
        self.terms = terms
    }

    /// Returns when the file is whole; whether its length is verified.
    func run(on lane: isolated Lane) async throws -> Bool {
        var question = try await firstQuestion(on: lane)
        if question.offset > 0, question.offset == question.known.total?.rawValue { return true }
        var restarts = 0
        while true {
            let (decision, reached) = try await ask(question, on: lane)
            switch decision {
            case .append(let piece), .replace(let piece):
                switch piece.next(reached: reached) {
                case .whole(let isVerified): return isVerified
                case .failed(let failure): throw failure
                case .goOn(let offset): question = try next(question, piece, at: offset)
                }
            case .complete: return true
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

    private func firstQuestion(on lane: isolated Lane) async throws -> DownloadQuestion {
        var question = DownloadQuestion(hasChecksum: place.hasChecksum)
        let known = lane.checkpoint.validator ?? Checkpoint.Validator()
        guard DownloadQuestion.canResume(known, hasChecksum: place.hasChecksum) else { return question }
        guard try await place.resume(on: lane) != nil else { return question }
        question.offset = place.job.offset.rawValue
        question.known = known
        return question
    }

    private func next(
        _ question: DownloadQuestion, _ piece: DownloadPiece, at offset: Int64
    ) throws -> DownloadQuestion {
        guard DownloadQuestion.canResume(piece.validator, hasChecksum: place.hasChecksum) else {
            throw Failure(
                .temporary,
                text:
                    "the server sends the file in parts and does not say to which version each of them belongs"
            )
        }
        var next = question
        next.offset = offset
        next.known = piece.validator
        return next
    }

    /// Asks the job's address, never one that it led to before, and follows where it leads.
    private func ask(
        _ question: DownloadQuestion, on lane: isolated Lane
    ) async throws -> (HTTPDownloadDecision, reached: Int64) {
        var url = place.job.url
        for _ in 0...Self.mostRedirects {
            try await terms.askForChallenge(url, on: lane)
            let (decision, reached, head) = try await ask(question, at: url, on: lane)
            if terms.isToRepeat(after: head, from: url, on: lane) { continue }
            guard case .redirected(let target) = decision else { return (decision, reached) }
            url = target
        }
        throw Failure(.permanent, text: "the address leads on more than \(Self.mostRedirects) times")
    }

    private func ask(
        _ question: DownloadQuestion, at url: TransferURL, on lane: isolated Lane
    ) async throws -> (HTTPDownloadDecision, reached: Int64, HTTPHead) {
        let exchange = HTTPDownloadExchange(
            question, at: url, place: place, loggedIn: terms.logsIn(at: url), on: lane)
        let answer: Answer
        do {
            var request = request(question, at: url, exchange)
            terms.apply(to: &request, method: "GET", url: url, on: lane)
            answer = try await lane.perform(request)
        } catch {
            await exchange.body?.stop()
            throw error
        }
        if let body = exchange.body {
            do {
                try await place.settle(body, on: lane)
            } catch let stop as Stop {
                await body.stop()
                throw stop
            }
        }
        guard let decision = exchange.decision else {
            throw answer.failure(doing: "fetching \(url)")
                ?? Failure(.temporary, text: "the server closed the connection without an answer")
        }
        if exchange.body != nil, let failure = answer.failure(doing: "fetching \(url)") { throw failure }
        return (decision, place.file?.offset ?? 0, exchange.head)
    }

    private func request(
        _ question: DownloadQuestion, at url: TransferURL, _ exchange: HTTPDownloadExchange
    ) -> Request {
        var request = Request(url: url.requestText)
        request.headers = question.fields
        request.set(.protocols, url.origin.scheme.rawValue)
        // Setting it has libcurl undo what comes compressed; the field that is sent stays ours.
        if question.undoesCoding { request.set(.acceptEncoding, "identity") }
        request.sink = exchange
        request.onLine = { exchange.take($0) }
        return request
    }
}
