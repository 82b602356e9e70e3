internal import CCurl
internal import TransferModel

/// Class and scope of a failure, decided from libcurl's code and the server's reply.
struct FailureMeaning {
    let `class`: Failure.Class
    let scope: Failure.Scope
    var advice = ""
    /// The server is full: fewer of us at a time may do.
    var isCrowded = false

    init(_ class: Failure.Class, _ scope: Failure.Scope, advice: String = "") {
        self.class = `class`
        self.scope = scope
        self.advice = advice
    }

    init(_ answer: Answer) {
        self =
            FailureMeaning(trust: answer) ?? FailureMeaning(proxy: answer) ?? FailureMeaning(machine: answer)
            ?? FailureMeaning(login: answer) ?? FailureMeaning(reply: answer)
            ?? FailureMeaning(network: answer)
    }

    /// Not yet logged in: the origin is away for now, or it does not want this login.
    init?(login answer: Answer) {
        guard !answer.isLoggedIn else { return nil }
        let isRefused = [CURLE_LOGIN_DENIED, CURLE_REMOTE_ACCESS_DENIED, CURLE_FTP_WEIRD_PASS_REPLY]
            .contains { answer.failed($0) }
        switch answer.replies.code {
        case 530, 430, 331, 332, 532:
            guard isRefused || answer.replies.code >= 400 else { return nil }
            self = Self.isCrowded(answer.replies.text) ? .crowded : FailureMeaning(.permanent, .login)
        case 421: self = .crowded
        case 400...499: self.init(.temporary, .origin)
        case 500...599: self.init(isRefused ? .permanent : .temporary, isRefused ? .login : .origin)
        default:
            guard isRefused else { return nil }
            self.init(.permanent, .login)
        }
    }

    private static var crowded: FailureMeaning {
        var meaning = FailureMeaning(.temporary, .origin)
        meaning.isCrowded = true
        return meaning
    }

    /// Whether a refused login only means "not now": RFC 959 has no code of its own for it, and servers use 530.
    private static func isCrowded(_ text: [UInt8]) -> Bool {
        let text = String(decoding: text, as: UTF8.self).lowercased()
        return [
            "too many", "maximum", "max ", "limit", "try again", "try later", "later", "connections", "busy",
            "full", "temporar",
        ].contains { text.contains($0) }
    }

    /// The server said no (RFC 959, section 4.2): 4yz may pass, 5yz stays, except that a full disk may be emptied.
    private init?(reply answer: Answer) {
        switch answer.replies.code {
        case 421: self = .crowded
        case 522:
            self.init(
                .permanent, .login,
                advice: "; it does not take our data connections, see 'tls_max' and 'mode'")
        case 452, 552: self.init(.temporary, .job, advice: "; the server is full or the quota is used up")
        case 400...499: self.init(.temporary, .job)
        case 500...599: self.init(.permanent, .job)
        default: return nil
        }
    }

    /// Nobody said anything that helps.
    private init(network answer: Answer) {
        let isUnreachable = [
            CURLE_COULDNT_RESOLVE_HOST, CURLE_COULDNT_CONNECT, CURLE_SSL_CONNECT_ERROR,
            CURLE_WEIRD_SERVER_REPLY,
            CURLE_OPERATION_TIMEDOUT, CURLE_RECV_ERROR, CURLE_SEND_ERROR, CURLE_GOT_NOTHING,
            CURLE_FTP_ACCEPT_TIMEOUT,
        ].contains { answer.failed($0) }
        let isOurs = [
            CURLE_URL_MALFORMAT, CURLE_UNSUPPORTED_PROTOCOL, CURLE_BAD_FUNCTION_ARGUMENT,
            CURLE_UNKNOWN_OPTION,
            CURLE_NOT_BUILT_IN,
        ].contains { answer.failed($0) }
        // A server that speaks no HTTP is reported as an unsupported protocol, too, and may be itself again later.
        if isOurs, !answer.hasAsked {
            self.init(.permanent, .job)
        } else if answer.failed(CURLE_OUT_OF_MEMORY) {
            self.init(.local, .job)
        } else {
            self.init(.temporary, isUnreachable && answer.isBeforeRequest ? .origin : .job)
            // A door that is shut before a word was said: how limits per client or second look.
            isCrowded = scope == .origin && answer.step == .greeting && !answer.hasTimedOut
        }
    }
}

extension Answer {
    /// Whether it ended before the server was asked for anything of this job: in FTP, before the login was through.
    ///
    /// One address that a web server never answers must not keep its other addresses waiting.
    fileprivate var isBeforeRequest: Bool {
        guard replies.entries.isEmpty else { return !isLoggedIn }
        return !isLoggedIn && !hasAsked && status < 200
    }
}
