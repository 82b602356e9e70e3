internal import TransferModel

/// What a form's answer means; decided once, from what is known when the request has ended.
enum FormVerdict: Hashable, Sendable {
    /// 2xx, and the whole body was sent before.
    case arrived
    /// 307 or 308 to the same origin, or a kept connection that was dead: the body goes there from its start.
    case repeated(TransferURL)
    case failed(Failure)

    /// Everything that the verdict looks at.
    struct Facts: Sendable {
        var url: TransferURL
        /// The head of the answer; `status` 0 when none came.
        var head: HTTPHead
        /// The first bytes of the answer's body.
        var excerpt: [UInt8] = []
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
        switch head.status {
        case 200...299:
            return facts.sentWhole ? .arrived : .failed(tooEarly(head))
        case 301, 302, 303, 307, 308:
            return redirected(facts)
        case 300...399:
            return .failed(Failure(.permanent, code: head.status, text: "the server answered \(head.answer)"))
        default:
            return .failed(
                HTTPFailure.classify(
                    head, doing: "posting to \(facts.url)", excerpt: facts.excerpt, loggedIn: facts.loggedIn,
                    now: facts.now))
        }
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
        let name = EscapedText.escape(location.utf8.prefix(500))
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
        return .repeated(target)
    }
}
