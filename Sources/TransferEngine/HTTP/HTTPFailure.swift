internal import TransferModel

/// What an answer that is no success means to a job (RFC 9110, section 15; RFC 6585, section 4).
enum HTTPFailure {
    /// - Parameters:
    ///   - doing: what was tried, as in "posting to ADDRESS".
    ///   - excerpt: the first bytes of the answer's body, for the sentence; may be empty.
    ///   - loggedIn: whether credentials were sent with the request.
    static func classify(
        _ head: HTTPHead, doing: String, excerpt: [UInt8] = [], loggedIn: Bool, now: Timestamp
    ) -> Failure {
        var failure = Failure(httpStatus: head.status, doing: doing, words: words(head, excerpt))
        // Where no password was sent none was refused.
        if !loggedIn { failure.scope = .job }
        if failure.class == .temporary {
            failure.retryAfter = head.value("retry-after").flatMap { RetryAfter.wait($0, now: now) }
        }
        return failure
    }

    /// The server's words: those of its status line, and the beginning of the body.
    private static func words(_ head: HTTPHead, _ excerpt: [UInt8]) -> String {
        let words = Array(excerpt.prefix(512).split { $0 <= 0x20 || $0 == 0x7f }.joined(separator: [0x20]))
        return [Array(head.reason.utf8.prefix(200)), Array(words.prefix(200))].filter { !$0.isEmpty }
            .map(ForeignText.clean).joined(separator: ", ")
    }
}
