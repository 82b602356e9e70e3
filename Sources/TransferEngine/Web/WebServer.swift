internal import TransferModel

/// A web server that files are stored at with PUT (RFC 9110, section 9.3.4), and that may speak WebDAV (RFC 4918).
///
/// An address with a query is taken to be a signed one: it is asked for as it was written, and nothing is sent beside it
/// that a signature may forbid. Nothing is followed to another server.
final class WebServer: FileServer {
    let assignment: Assignment
    let place: WebPlace
    private let limit: Duration?
    let terms: RequestTerms
    /// Where the server had a path stored instead, at itself.
    var moved: [RemotePath: TransferURL] = [:]
    var moves = 0
    /// Whether a body was given once more since a kept connection was dead.
    var hasRepeated = false
    /// Whether it was given once more since another job may have made its directory meanwhile.
    var hasMetDirectory = false
    /// What was learned of a path when it was stored, for what is asked of it after that.
    var stored: (path: RemotePath, head: HTTPHead)?

    init(_ assignment: Assignment, limit: Duration? = nil) {
        self.assignment = assignment
        self.limit = limit
        place = WebPlace(assignment.job.url)
        terms = RequestTerms(assignment)
    }

    var origin: Origin { assignment.job.origin }
    var sizeSource: String { "HEAD" }
    var writesByOffset: Bool { false }
    var storesAtomically: Bool { true }
    var namesAtOnce: Int { 1 }

    func address(of path: RemotePath) -> TransferURL { moved[path] ?? place.address(of: path) }

    /// What is said of a path to a person.
    func name(_ path: RemotePath) -> String { "\(path) at \(origin)" }

    /// Whether what WebDAV adds to HTTP may be asked for: not of signed addresses, nor where it was refused.
    func mayAsk(_ method: String, on lane: isolated Lane) -> Bool {
        !place.hasQuery && !lane.memory.lacks(method)
    }

    /// What every request has.
    func request(_ url: TransferURL, headers: [String]) -> Request {
        var request = Request(url: url.requestText)
        request.timeout = limit
        request.set(.pathAsIs, true)
        request.headers = headers
        return request
    }

    /// Asks, and returns what the server says of it, be it yes or no; throws where it said nothing, or nothing that has to
    /// do with the question: it is in trouble, or wants a login.
    func ask(_ question: WebQuestion, on lane: isolated Lane) async throws -> WebAnswer {
        while true {
            let exchange = WebExchange(sink: question.sink)
            let answer = try await lane.perform(request(question, exchange, on: lane))
            let found = WebAnswer(exchange, answer)
            guard found.isComplete else { throw Failure(answer, doing: question.doing) }
            if terms.isToRepeat(after: found.head, from: question.url, on: lane) { continue }
            // Of an error page nothing is needed but its beginning.
            if found.isSuccess, let failure = answer.failure(doing: question.doing) { throw failure }
            if found.head.isTrouble { throw refusal(found, doing: question.doing) }
            return found
        }
    }

    private func request(
        _ question: WebQuestion, _ exchange: WebExchange, on lane: isolated Lane
    ) -> Request {
        var request = request(question.url, headers: question.headers)
        request.mayRepeat = question.mayRepeat
        request.sink = exchange
        request.onLine = { exchange.take($0) }
        switch question.method {
        case "HEAD": request.set(.noBody, true)
        case "GET": break
        case _: request.set(.customRequest, question.method)
        }
        if let body = question.body {
            request.body = BytesBody(body)
            request.mayRepeat = false
            request.set(.upload, true)
            request.set(.uploadSize, Int64(body.count))
        }
        terms.apply(to: &request, method: question.method, url: question.url, on: lane)
        return request
    }

    /// What an answer that says no means.
    func refusal(_ answer: WebAnswer, doing: String) -> Failure {
        var failure = HTTPFailure.classify(
            answer.head, doing: doing, excerpt: answer.excerpt, loggedIn: assignment.sendsPassword,
            now: .now())
        if answer.status == 507 { failure.text += "; the server is full or the quota is used up" }
        failure.reply = answer.reply
        return failure
    }
}

extension HTTPHead {
    /// Whether the answer says nothing of what was asked for: a login is wanted, or the server is in trouble.
    var isTrouble: Bool {
        switch status {
        case 401, 407, 408, 425, 429: true
        case 501, 505, 507: false
        case 500...599: true
        case _: false
        }
    }

    /// Whether the server does not know the method, here or at all.
    var lacksMethod: Bool { status == 405 || status == 501 }
}
