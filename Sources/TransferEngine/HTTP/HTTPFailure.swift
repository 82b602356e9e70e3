internal import TransferModel

/// What an answer that is no success means to a job (RFC 9110, section 15; RFC 6585, section 4).
enum HTTPFailure {
    /// - Parameters:
    ///   - excerpt: the first bytes of the answer's body, for the sentence; may be empty.
    ///   - loggedIn: whether credentials were sent with the request.
    static func classify(
        _ head: HTTPHead, excerpt: [UInt8] = [], loggedIn: Bool, now: Timestamp
    ) -> Failure {
        let text = "the server answered \(head.answer)" + quoted(excerpt)
        switch head.status {
        case 408, 425, 429, 500...599:
            let wait = head.value("retry-after").flatMap { RetryAfter.wait($0, now: now) }
            return Failure(.temporary, code: head.status, text: text, retryAfter: wait)
        case 401 where loggedIn:
            return Failure(.permanent, scope: .login, code: 401, text: text)
        default:
            return Failure(.permanent, code: head.status, text: text)
        }
    }

    /// The beginning of a body as a part of a sentence.
    private static func quoted(_ excerpt: [UInt8]) -> String {
        let words = Array(excerpt.prefix(512).split { $0 <= 0x20 || $0 == 0x7f }.joined(separator: [0x20]))
        guard !words.isEmpty else { return "" }
        return ": " + EscapedText.escape(words.prefix(200))
    }
}
