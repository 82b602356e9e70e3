internal import TransferModel

/// Asks one question of a download at its address and wherever it leads, and has the answer's body stored.
struct HTTPFetch {
    let place: DownloadPlace
    let terms: RequestTerms

    /// Leads a body to where it belongs, before its first byte; false when it is of no use. Called inside libcurl.
    typealias Begin = (HTTPDownloadDecision, DownloadBody) -> Bool

    private static let mostRedirects = 10

    /// Asks the download's address, never one that it led to before, and follows where it leads. Returns when what came is
    /// written; throws a failure of the exchange itself.
    func ask(
        _ question: DownloadQuestion, on lane: isolated Lane, begin: @escaping Begin
    ) async throws -> HTTPDownloadDecision {
        var url = place.address
        for _ in 0...Self.mostRedirects {
            try await terms.askForChallenge(url, on: lane)
            let (decision, head) = try await ask(question, at: url, on: lane, begin)
            if terms.isToRepeat(after: head, from: url, on: lane) { continue }
            guard case .redirected(let target) = decision else { return decision }
            url = target
        }
        throw Failure(.permanent, text: "the address leads on more than \(Self.mostRedirects) times")
    }

    private func ask(
        _ question: DownloadQuestion, at url: TransferURL, on lane: isolated Lane, _ begin: @escaping Begin
    ) async throws -> (HTTPDownloadDecision, HTTPHead) {
        let exchange = HTTPDownloadExchange(
            question, at: url, place: place, loggedIn: terms.logsIn(at: url), on: lane, begin: begin)
        let answer: Answer
        do {
            var request = request(question, at: url, exchange)
            terms.apply(to: &request, method: "GET", url: url, on: lane)
            answer = try await lane.perform(request)
        } catch {
            lane.forgetReminder()
            await exchange.body?.stop()
            throw error
        }
        if let body = exchange.body {
            do {
                try await place.settle(body, isWhole: answer.error == nil, on: lane)
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
        return (decision, exchange.head)
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

extension Failure {
    /// Whether a transfer that brought `count` bytes before it failed so is gone on with at once: a connection that was
    /// cut on the way, and no server that cuts each of them after a few bytes.
    func isCut(after count: Int64) -> Bool {
        self.class == .temporary && scope == .job && curl != nil && count >= SegmentPlan.smallest
    }
}
