internal import CCurl
internal import TransferModel

/// A server's refusal of a data connection over TLS because of how it was secured: for want of a resumed session, or for
/// one (RFC 4217, sections 10 and 12.2).
struct DataRefusal: Hashable, Sendable {
    /// In the server's words.
    let text: String
    /// Whether the words speak of TLS; 425 alone may be said of a firewall.
    let isCertain: Bool

    /// nil when the request did not fail so.
    init?(_ answer: Answer) {
        guard answer.error != nil, answer.isLoggedIn, answer.bodyFailure == nil, !answer.hasTimedOut else {
            return nil
        }
        if let reply = Self.reply(in: answer.replies.entries) {
            let words = ForeignText.clean(reply.text)
            text = "\(reply.code) \(words)"
            let known = ["ssl", "tls", "session", "operation not permitted"]
            isCertain = reply.code == 522 || known.contains { words.lowercased().contains($0) }
        } else if answer.failed(CURLE_SSL_CONNECT_ERROR) {
            text = ForeignText.clean(answer.error?.text ?? [])
            isCertain = true
        } else if Self.hasDiedEarly(answer) {
            text = ForeignText.clean(answer.error?.text ?? [])
            isCertain = false
        } else {
            return nil
        }
    }

    /// The most that a socket takes before its end is noticed, in bytes.
    private static let longestUnnoticed: Int64 = 1_048_576

    /// Whether the data connection ended before anything was certain to have passed: libcurl then does not read the reply
    /// that would say why.
    private static func hasDiedEarly(_ answer: Answer) -> Bool {
        (100...199).contains(answer.replies.code) && answer.received == 0
            && answer.uploaded <= longestUnnoticed
            && [CURLE_SEND_ERROR, CURLE_RECV_ERROR, CURLE_PARTIAL_FILE].contains { answer.failed($0) }
    }

    /// The 522 or 425 to a transfer. As the answer to EPSV or EPRT, 522 speaks of address families (RFC 2428, section 2).
    private static func reply(in entries: [ReplyLog.Entry]) -> ReplyLog.Entry? {
        guard let index = entries.firstIndex(where: { $0.code == 522 || $0.code == 425 }) else { return nil }
        let isOfTransfer = entries[..<index].contains { [125, 150, 200, 227, 229].contains($0.code) }
        let isOfExtension =
            index + 1 < entries.count && entries[index + 1].code == 227
            && !entries[..<index].contains { [125, 150, 229].contains($0.code) }
        return isOfTransfer && !isOfExtension ? entries[index] : nil
    }
}

extension Answer {
    /// Whether a data connection was offered and ended without a word on it, before the transfer began or as it did.
    var hasGreetedTooEarly: Bool {
        guard isLoggedIn, bodyFailure == nil, !hasTimedOut, sent == 0, received == 0 else { return false }
        let isBroken = [
            CURLE_FTP_WEIRD_PASV_REPLY, CURLE_SSL_CONNECT_ERROR, CURLE_SEND_ERROR, CURLE_RECV_ERROR,
        ].contains(where: failed)
        guard isBroken, let offer = replies.codes.firstIndex(where: { $0 == 227 || $0 == 229 }) else {
            return false
        }
        let isCrossing = failed(CURLE_FTP_WEIRD_PASV_REPLY) || failed(CURLE_SSL_CONNECT_ERROR)
        let codes = isCrossing ? 100...399 : 200...399
        return replies.codes[offer...].allSatisfy(codes.contains)
    }
}

extension OriginMemory.SessionReuse {
    /// What to try when the server refuses data connections this way.
    var next: Self? {
        switch self {
        case .kept: .once
        case .once: .never
        case .never: nil
        }
    }

    /// What the log says when it is found to work.
    var consequence: String {
        switch self {
        case .kept: "TLS sessions are resumed"
        case .once: "each transfer has a connection of its own from now on"
        case .never: "TLS sessions are no longer resumed"
        }
    }
}
