internal import TransferModel

/// How the requests of one attempt are made to its web server: who we are, what else is said, how long an answer may
/// take; and what the server's answers add for the requests that follow. Lives on the lane's queue.
///
/// Login, header fields and cookies belong to the server of the job's address: none of them goes to another one.
final class RequestTerms {
    let wishes: RequestWishes
    private let home: TransferURL
    private let login: CredentialsTable.Login
    private var cookies = CookieJar()
    /// Whether the login of the challenge that holds was sent already.
    private var hasAnswered = false
    private var hasAskedForChallenge = false
    /// How often one request may be made once more for what its answer said.
    private var chances = 2

    init(_ assignment: Assignment) {
        wishes = assignment.request
        home = assignment.job.url
        login = assignment.login
    }

    /// Whether a password or a token goes along to `url`.
    func logsIn(at url: TransferURL) -> Bool {
        switch login {
        case .credentials: url.isSameServer(as: home)
        case .anonymous, .missing: false
        }
    }

    /// Whether the server is to be asked for a challenge before a body is sent: with Digest the first request is refused,
    /// and the body would have been sent for nothing.
    func needsChallenge(on lane: isolated Lane) -> Bool {
        wishes.authentication == .digest && logsIn(at: home) && lane.digest == nil
    }

    /// Asks for the challenge with a request that changes nothing; without one the request goes out as it is.
    func askForChallenge(_ url: TransferURL, on lane: isolated Lane) async throws(Stop) {
        guard needsChallenge(on: lane), url.isSameServer(as: home), !hasAskedForChallenge else { return }
        hasAskedForChallenge = true
        var head = HTTPHead()
        var request = Request(url: url.requestText)
        request.set(.noBody, true)
        request.onLine = { line in
            head.take(line)
            return !head.isTooLong
        }
        apply(to: &request, method: "HEAD", url: url, on: lane)
        _ = try await lane.perform(request)
        if head.status == 401 { takeChallenge(head, on: lane) }
    }

    /// Settles header fields, login, cookies and waits of a request that is otherwise complete.
    ///
    /// - Parameter bodyLength: of a request whose answer may take long; nil: it may be as long as any silence.
    func apply(
        to request: inout Request, method: String, url: TransferURL, bodyLength: Int64? = nil,
        on lane: isolated Lane
    ) {
        let isHome = url.isSameServer(as: home)
        if isHome {
            let own = Set(request.headers.map(Self.name))
            request.headers += (wishes.headers ?? []).filter { !own.contains($0.name.lowercased()) }.map(
                \.line)
            if wishes.cookies == .on, let field = cookies.field(for: url) {
                request.headers.append("Cookie: \(field)")
            }
        } else {
            request.set(.httpAuthentication, 0)
        }
        if isHome, wishes.authentication == .digest, case .credentials(let credentials) = login,
            let field = lane.digestField(credentials, method: method, url: url)
        {
            hasAnswered = true
            request.headers.append("Authorization: \(field)")
        }
        // libcurl would ask by itself for every large body.
        request.headers.append(expects(on: lane) && bodyLength ?? 0 > 0 ? "Expect: 100-continue" : "Expect:")
        request.bodyLength = bodyLength
        if bodyLength != nil {
            request.answerTimeout = wishes.answerTimeout ?? RequestWishes.standardAnswerTimeout
        }
    }

    private static func name(_ line: String) -> String { line.prefix { $0 != ":" && $0 != ";" }.lowercased() }

    /// Whether the server is asked before a body is sent: it is wished, and it has not refused that.
    func expects(on lane: isolated Lane) -> Bool {
        wishes.expectation == .on && !lane.memory.lacks("Expect")
    }

    /// Takes in what an answer from `url` says for later requests, and tells whether the same request is to be made once
    /// more: with a login that the server has told how to make, or without having asked first.
    func isToRepeat(after head: HTTPHead, from url: TransferURL, on lane: isolated Lane) -> Bool {
        guard url.isSameServer(as: home) else { return false }
        if wishes.cookies == .on { cookies.take(head, from: url) }
        guard chances > 0 else { return false }
        let isNews: Bool
        switch head.status {
        case 401 where wishes.authentication == .digest && logsIn(at: url):
            let wasStale = DigestChallenge(head)?.isStale ?? false
            isNews = (!hasAnswered || wasStale || lane.isOldDigest) && takeChallenge(head, on: lane)
        case 417 where expects(on: lane):
            lane.memory.noteLack(of: "Expect")
            isNews = true
        case _: isNews = false
        }
        if isNews { chances -= 1 }
        return isNews
    }

    /// Whether there was one that can be met.
    @discardableResult
    private func takeChallenge(_ head: HTTPHead, on lane: isolated Lane) -> Bool {
        guard let challenge = DigestChallenge(head) else { return false }
        lane.take(challenge)
        hasAnswered = false
        return true
    }
}
