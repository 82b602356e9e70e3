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
        let meaning = FailureMeaning(answer)
        let said = answer.replies.code >= 400 ? answer.replies.text : answer.error?.words ?? []
        let code = answer.replies.code >= 400 ? answer.replies.code : nil
        let words = code.map { "\($0) " + ForeignText.clean(said) } ?? ForeignText.clean(said)
        let hasSilence = answer.hasTimedOut && code == nil
        let reason =
            answer.hasStalled || hasSilence
            ? "no byte moved for \(answer.silence.components.seconds) s while \(answer.step.rawValue)"
            : words.isEmpty ? "it did not work" : words
        self.init(
            meaning.class, scope: meaning.scope, curl: answer.error.map { Int($0.code) }, code: code,
            text: "\(doing): \(reason)\(meaning.advice)")
        isCrowded = meaning.isCrowded
    }

    /// What an HTTP status that is no success means (RFC 9110, section 15; RFC 6585).
    init(httpStatus status: Int, doing: String, words: String = "") {
        let (meaning, scope): (Class, Scope) =
            switch status {
            case 401, 403, 407: (.permanent, .login)
            case 408, 423, 425, 429: (.temporary, .job)
            case 501, 505: (.permanent, .job)
            case 500...599: (.temporary, .job)
            default: (.permanent, .job)
            }
        let tail = words.isEmpty ? "" : ": \(words)"
        let who = status == 407 ? "proxy" : "server"
        let advice = status == 407 ? FailureMeaning.proxyLoginAdvice : ""
        self.init(
            meaning, scope: scope, code: status,
            text: "\(doing): the \(who) answered \(status)\(tail)\(advice)")
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
