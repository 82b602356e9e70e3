internal import CCurl
internal import TransferModel

extension Failure {
    /// What a request that did not go well means to its job: the one place where libcurl's codes and the servers' reply
    /// codes are told apart.
    ///
    /// `doing` says what was tried, as in "uploading FILE". An HTTP answer is judged by ``init(httpStatus:doing:)``.
    init(_ answer: Answer, doing: String) {
        if let failure = answer.bodyFailure {
            self = failure
            return
        }
        let meaning = Meaning(answer)
        let said = answer.replies.code >= 400 ? answer.replies.text : answer.error?.text ?? []
        let code = answer.replies.code >= 400 ? answer.replies.code : nil
        let words = code.map { "\($0) " + ForeignText.clean(said) } ?? ForeignText.clean(said)
        let reason =
            answer.hasStalled ? "no byte moved for too long" : words.isEmpty ? "it did not work" : words
        self.init(
            meaning.class, scope: meaning.scope, curl: answer.error.map { Int($0.code) }, code: code,
            text: "\(doing): \(reason)\(meaning.advice)")
    }

    /// What an HTTP status that is no success means (RFC 9110, section 15; RFC 6585).
    init(httpStatus status: Int, doing: String, words: String = "") {
        let (meaning, scope): (Class, Scope) =
            switch status {
            case 401, 407: (.permanent, .login)
            case 408, 423, 425, 429: (.temporary, .job)
            case 501, 505: (.permanent, .job)
            case 500...599: (.temporary, .job)
            default: (.permanent, .job)
            }
        let tail = words.isEmpty ? "" : ": \(words)"
        self.init(meaning, scope: scope, code: status, text: "\(doing): the server answered \(status)\(tail)")
    }
}

/// Class and scope of a failure, decided from libcurl's code and the server's reply.
private struct Meaning {
    let `class`: Failure.Class
    let scope: Failure.Scope
    var advice = ""

    init(_ class: Failure.Class, _ scope: Failure.Scope, advice: String = "") {
        self.class = `class`
        self.scope = scope
        self.advice = advice
    }

    init(_ answer: Answer) {
        self =
            Meaning(trust: answer) ?? Meaning(login: answer) ?? Meaning(reply: answer)
            ?? Meaning(network: answer)
    }

    /// A certificate that isn't to be trusted, TLS refused, a key that changed: no byte may travel until a person has
    /// acted, for any job of this login; so it is the login that stops, loudly.
    private init?(trust answer: Answer) {
        if answer.failed(CURLE_PEER_FAILED_VERIFICATION) || answer.failed(CURLE_SSL_ISSUER_ERROR) {
            self.init(.permanent, .login, advice: "; the server's certificate or key is not trusted")
        } else if answer.failed(CURLE_USE_SSL_FAILED) {
            self.init(.permanent, .login, advice: "; TLS is required, and nothing is sent without it")
        } else if answer.failed(CURLE_SSL_CACERT_BADFILE) || answer.failed(CURLE_SSL_CRL_BADFILE) {
            self.init(.local, .origin, advice: "; see 'ca_file' of the origin")
        } else {
            return nil
        }
    }

    /// Not yet logged in: the origin is away for now, or it does not want this login.
    private init?(login answer: Answer) {
        guard !answer.isLoggedIn else { return nil }
        let isRefused = [CURLE_LOGIN_DENIED, CURLE_REMOTE_ACCESS_DENIED, CURLE_FTP_WEIRD_PASS_REPLY]
            .contains { answer.failed($0) }
        switch answer.replies.code {
        case 530, 430, 331, 332, 532:
            guard isRefused || answer.replies.code >= 400 else { return nil }
            self =
                Self.isCrowded(answer.replies.text)
                ? Meaning(.temporary, .origin) : Meaning(.permanent, .login)
        case 400...499: self.init(.temporary, .origin)
        case 500...599: self.init(isRefused ? .permanent : .temporary, isRefused ? .login : .origin)
        default:
            guard isRefused else { return nil }
            self.init(.permanent, .login)
        }
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
            // One address that a web server never answers must not keep its other addresses waiting.
            let isBeforeRequest = !answer.isLoggedIn && !answer.hasAsked && answer.status < 200
            self.init(.temporary, isUnreachable && isBeforeRequest ? .origin : .job)
        }
    }
}

extension Failure {
    /// What a reply that says no to one command means: 4yz may pass, 5yz stays, a full disk may be emptied.
    init(_ reply: ReplyLog.Entry, doing: String) {
        let isFull = [452, 552].contains(reply.code)
        let isPermanent = (500...599).contains(reply.code) && !isFull
        let advice = isFull ? "; the server is full or the quota is used up" : ""
        self.init(
            isPermanent ? .permanent : .temporary, code: reply.code,
            text: "\(doing): \(reply.code) \(ForeignText.clean(reply.text))\(advice)")
    }
}
