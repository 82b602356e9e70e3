internal import TransferModel

/// One request of a download while it runs: decides when the head is there, and leads the body into the file or away.
final class HTTPDownloadExchange: BodySink {
    private(set) var decision: HTTPDownloadDecision?
    /// Where the answer's body goes; nil when it is none of the file.
    private(set) var body: DownloadBody?
    private(set) var head = HTTPHead()
    private let decide: (HTTPHead) -> HTTPDownloadDecision
    private let begin: (HTTPDownloadDecision) -> DownloadBody?
    /// Whether libcurl undoes the coding of what comes.
    private let undoesCoding: Bool
    private var dropped: Int64 = 0

    /// An error page that is let pass so that the connection can be kept, in bytes.
    private static let longestPage: Int64 = 65_536

    init(
        _ question: DownloadQuestion, at url: TransferURL, place: DownloadPlace, loggedIn: Bool,
        on lane: isolated Lane, begin: @escaping HTTPFetch.Begin
    ) {
        decide = { head in
            let decision = HTTPDownloadDecision.decide(
                head, to: question, at: url, name: place.directory.target, loggedIn: loggedIn, now: .now())
            guard case .replace = decision, let objection = place.objection(to: head) else { return decision }
            return .failed(objection)
        }
        undoesCoding = question.undoesCoding
        let isPart = lane.assignment?.isPart ?? false
        self.begin = { decision in
            let body = DownloadBody(
                on: place.disk, isPart: isPart, length: decision.length, batch: DownloadBody.batch,
                wake: { lane.resume() })
            return begin(decision, body) ? body : nil
        }
    }

    /// Takes a line of the head; false ends the transfer, when a body comes that is of no use and long.
    func take(_ line: UnsafeRawBufferPointer) -> Bool {
        head.take(line)
        guard head.isComplete || head.isTooLong, decision == nil else { return true }
        let decision = decide(head)
        self.decision = decision
        body = begin(decision)
        if body != nil { return true }
        switch BodyFraming(head) {
        case .length(let length): return length <= Self.longestPage
        case .chunked: return true
        case .connection, .invalid: return false
        }
    }

    var hasEnough: Bool { body?.hasEnough ?? false }

    func settle() { body?.settle() }

    var plainLength: Int64? {
        guard body != nil, !undoesCoding, case .length(let length) = BodyFraming(head) else { return nil }
        return length
    }

    func space() -> Space { body?.space() ?? .fail(Self.useless) }

    func filled(_ count: Int) -> WriteAnswer { body?.filled(count) ?? .fail(Self.useless) }

    private static let useless = Failure(
        .temporary, text: "the server's answer is of no use and has no end")

    func write(_ bytes: UnsafeRawBufferPointer) -> WriteAnswer {
        if let body { return body.write(bytes) }
        dropped += Int64(bytes.count)
        guard dropped <= Self.longestPage else {
            return .fail(Self.useless)
        }
        return .taken
    }
}
