internal import TransferModel

/// What a form's answer means; decided once, from what is known when the request has ended.
enum FormVerdict: Hashable, Sendable {
    /// An answer that means success, and the whole body was sent before.
    case arrived
    /// 307 or 308 to the same origin, or a kept connection that was dead: the body goes there from its start, after the
    /// time that the server asked for.
    case repeated(TransferURL, after: Duration = .zero)
    case failed(Failure)

    /// Everything that the verdict looks at.
    struct Facts: Sendable {
        var url: TransferURL
        /// The head of the answer; `status` 0 when none came.
        var head: HTTPHead
        /// The first bytes of the answer's body, and whether they are all of it.
        var excerpt: [UInt8] = []
        var isWholeAnswer = true
        var rules = AnswerRules()
        /// Whether every byte of the body was handed to the connection.
        var sentWhole: Bool
        /// Whether the last buffer may have been handed over.
        var sealed: Bool
        var loggedIn = false
        /// Whether an earlier job's connection was used, and broke.
        var keptConnectionBroke = false
        /// What went wrong with the exchange itself; nil when it ended as HTTP says.
        var exchange: Failure?
        var now: Timestamp
    }

    static func decide(_ facts: Facts) -> FormVerdict {
        let head = facts.head
        guard head.isComplete, !head.isTooLong, (200...599).contains(head.status) else {
            let isDead = facts.keptConnectionBroke && head.status == 0 && !facts.sealed
            return isDead ? .repeated(facts.url) : .failed(withoutAnswer(facts))
        }
        let isSuccess = facts.rules.statuses.contains(head.status)
        switch head.status {
        case _ where isSuccess:
            guard facts.sentWhole else { return .failed(tooEarly(head)) }
            let objection = facts.rules.objection(to: facts.excerpt, isWhole: facts.isWholeAnswer)
            guard let objection else { return .arrived }
            return .failed(facts.exchange.map { cut(head, $0) } ?? refused(head, objection))
        case 200...299:
            return .failed(facts.sentWhole ? refused(head, facts.rules.statusObjection) : tooEarly(head))
        case 301, 302, 303, 307, 308:
            return redirected(facts)
        case 300...399:
            return .failed(Failure(.permanent, code: head.status, text: "the server answered \(head.answer)"))
        default:
            return .failed(otherwise(facts))
        }
    }

    private static func otherwise(_ facts: Facts) -> Failure {
        var failure = HTTPFailure.classify(
            facts.head, doing: "posting to \(facts.url)", excerpt: facts.excerpt, loggedIn: facts.loggedIn,
            now: facts.now)
        if facts.sentWhole, HTTPFailure.isUnknownBehindGateway(facts.head.status) {
            failure.class = .unknownOutcome
            failure.text += "; the server behind that gateway may have had the whole form"
        }
        return failure
    }

    /// What would have told whether the form was good did not come.
    private static func cut(_ head: HTTPHead, _ exchange: Failure) -> Failure {
        Failure(
            .unknownOutcome, curl: exchange.curl, code: head.status,
            text: "the server answered \(head.answer), and its answer broke off: \(exchange.text)")
    }

    /// The server has the form, and sending it again would end the same way.
    private static func refused(_ head: HTTPHead, _ reason: String) -> Failure {
        Failure(.permanent, code: head.status, text: "the server answered \(head.answer), and \(reason)")
    }

    private static func withoutAnswer(_ facts: Facts) -> Failure {
        let reason = facts.exchange?.text ?? "the server closed the connection"
        guard facts.sealed else {
            return facts.exchange ?? Failure(.temporary, text: "\(reason) before it had the whole form")
        }
        return Failure(
            .unknownOutcome, curl: facts.exchange?.curl,
            text: "the whole form may have been sent, and no answer came: \(reason)")
    }

    private static func tooEarly(_ head: HTTPHead) -> Failure {
        Failure(
            .temporary, code: head.status,
            text: "the server answered \(head.answer) before the whole form was sent, so it cannot have it")
    }

    private static func redirected(_ facts: Facts) -> FormVerdict {
        let head = facts.head
        let status = head.status
        guard let location = head.value("location") else {
            return .failed(
                Failure(
                    .permanent, code: status, text: "the server answered \(head.answer) and named no address")
            )
        }
        let name = TransferURL.shown(location)
        guard status == 307 || status == 308, let target = try? facts.url.resolving(location) else {
            return .failed(
                Failure(
                    .permanent, code: status,
                    text: "the form's address has moved: the server answered \(head.answer) and named \(name)"
                ))
        }
        let mine = facts.url.origin
        let theirs = target.origin
        guard theirs.scheme == mine.scheme, theirs.host == mine.host, theirs.port == mine.port else {
            return .failed(
                Failure(
                    .permanent, code: status,
                    text:
                        "the server answered \(head.answer) and named another server, \(name): a form goes to no "
                        + "server but the one it was meant for"))
        }
        let wait = head.value("retry-after").flatMap { RetryAfter.wait($0, now: facts.now) } ?? .zero
        guard wait <= longestPause else {
            return .failed(
                Failure(
                    .temporary, code: status,
                    text: "the server answered \(head.answer) and named \(name), to be asked later",
                    retryAfter: wait))
        }
        return .repeated(target, after: wait)
    }

    /// The longest time that a lane waits for an address that a server has named.
    static let longestPause: Duration = .seconds(60)
}
