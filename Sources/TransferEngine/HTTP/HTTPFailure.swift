internal import TransferModel

/// What an answer that is no success means to a job (RFC 9110, section 15; RFC 6585, section 4).
enum HTTPFailure {
    /// - Parameters:
    ///   - doing: what was tried, as in "posting to ADDRESS".
    ///   - excerpt: the first bytes of the answer's body, for the sentence; may be empty.
    ///   - loggedIn: whether credentials were sent with the request.
    ///   - isForOneFile: whether 403 may be said of this address alone, as when one file of many is asked for; else the
    ///     login may not do what its jobs want.
    static func classify(
        _ head: HTTPHead, doing: String, excerpt: [UInt8] = [], loggedIn: Bool, isForOneFile: Bool = false,
        now: Timestamp
    ) -> Failure {
        var failure = Failure(httpStatus: head.status, doing: doing, words: words(head, excerpt))
        // Where no password was sent none was refused; a proxy asks for one of its own.
        if head.status != 407, !loggedIn || head.status == 403 && isForOneFile { failure.scope = .job }
        let wait = head.value("retry-after").flatMap { RetryAfter.wait($0, now: now) }
        // What is too large stays so, unless the server says that it is so only now (RFC 9110, section 15.5.14).
        if head.status == 413, let wait, wait > .zero { failure.class = .temporary }
        if failure.class == .temporary { failure.retryAfter = wait }
        return failure
    }

    /// The server's words: those of its status line, and the beginning of the body.
    private static func words(_ head: HTTPHead, _ excerpt: [UInt8]) -> String {
        let words = Array(excerpt.prefix(512).split { $0 <= 0x20 || $0 == 0x7f }.joined(separator: [0x20]))
        return [Array(head.reason.utf8.prefix(200)), Array(words.prefix(200))].filter { !$0.isEmpty }
            .map(ForeignText.clean).joined(separator: ", ")
    }

    /// Whether a status is a gateway's word about a server behind it that may have had the request: it got no answer, or
    /// one that it could not read (RFC 9110, sections 15.6.3 and 15.6.5; 520 and 524 are Cloudflare's for the same).
    static func isUnknownBehindGateway(_ status: Int) -> Bool { [502, 504, 520, 524].contains(status) }
}
