internal import CCurl
internal import TransferModel

extension Lane {
    /// Carries out one request; throws only when the job is to stop, and not after it succeeded.
    ///
    /// A kept connection that turns out to be dead before anything was answered is replaced, once, at no cost.
    func perform(_ request: Request) async throws(Stop) -> Answer {
        let hasOwnConnection = isSecuredFTP && request.movesData && sessionReuse == .once && hasCarriedData
        let answer = try await once(request, isFresh: hasOwnConnection)
        guard request.mayRepeat, answer.foundDeadConnection else { return answer }
        return try await once(request, isFresh: true)
    }

    private func once(_ plain: Request, isFresh: Bool) async throws(Stop) -> Answer {
        try checkStop()
        var request = plain
        request.body = plain.body.map(rated)
        request.sink = plain.sink.map(rated)
        let (loop, alarms) = opened()
        let configuration = EasyConfiguration(lane: self, isFresh: isFresh)
        let answer = await withCheckedContinuation { (continuation: CheckedContinuation<Answer, Never>) in
            let transfer = Transfer(
                request, scheme: origin.scheme, control: control, holdsGreeting: isSecuredFTP && holdsGreeting
            ) { continuation.resume(returning: $0) }
            alarms.set(.stall, after: request.firstLook(originSettings.stallTimeout))
            if !isFresh, let socket = socketForDialogue(request) { return loop.begin(transfer, over: socket) }
            loop.begin(transfer) { (easy: borrowing CurlEasy) throws(CurlError) in
                try configuration.apply(to: easy)
            }
        }
        if isSecuredFTP { noteSession(answer, movesData: request.movesData) }
        if answer.lacksExtendedPassive { memory.noteLack(of: "EPSV") }
        isInDialogue = answer.error == nil || request.isDialogue && answer.failed(CURLE_QUOTE_ERROR)
        if answer.error != nil {
            if request.movesData, isSecuredFTP { control.cutConnection() }
            try checkStop()
        }
        return answer
    }

    /// The control connection that the job has just used, where commands can go over it as they are: no TLS, no proxy.
    private func socketForDialogue(_ request: Request) -> Int32? {
        guard request.isDialogue, isInDialogue, origin.scheme == .ftp, originSettings.tls == .off,
            originSettings.path.proxy == nil
        else { return nil }
        return control.onlySocket
    }

    /// A server that refuses STOR or RETR closes the data connection before its TLS handshake; libcurl 7.88.1 takes that
    /// for a failed EPSV and sends PASV, whose reply then answers the next request. So the connection is not used again.
    private var isSecuredFTP: Bool {
        origin.scheme == .ftps || origin.scheme == .ftp && originSettings.tls == .require
    }
}

extension Answer {
    /// Whether a kept connection died under the first command: nothing was answered but that the server closes it, and
    /// no byte of a body moved.
    var foundDeadConnection: Bool {
        guard !isFresh, let error, sent == 0, received == 0, !wasRefused, bodyFailure == nil, !hasStalled
        else {
            return false
        }
        let isBroken = [
            CURLE_SEND_ERROR, CURLE_RECV_ERROR, CURLE_GOT_NOTHING, CURLE_COULDNT_CONNECT,
            CURLE_WEIRD_SERVER_REPLY,
        ].contains { error.code == $0.rawValue }
        return replies.codes.isEmpty && status == 0 ? isBroken : replies.codes == [421]
    }

    /// Whether EPSV was refused and PASV was not: libcurl remembers that for the connection only.
    fileprivate var lacksExtendedPassive: Bool {
        let codes = replies.codes
        guard let passive = codes.firstIndex(of: 227), passive > 0 else { return false }
        return (500...599).contains(codes[passive - 1]) && !codes[..<passive].contains(229)
    }
}
