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

    private func once(_ request: Request, isFresh: Bool) async throws(Stop) -> Answer {
        try checkStop()
        if !isFresh, let socket = socketForDialogue(request) {
            let answer = await converse(request, over: socket)
            if !answer.needsLibrary { return try settle(request, answer) }
        }
        if let licence = request.licence { try await wait(for: licence) }
        let configuration = EasyConfiguration(lane: self, isFresh: isFresh)
        let answer = await transfer(request) { loop, transfer in
            loop.begin(transfer) { (easy: borrowing CurlEasy) throws(CurlError) in
                try configuration.apply(to: easy)
            }
        }
        if isSecuredFTP { noteSession(answer, movesData: request.movesData) }
        // libcurl sets the type of such a file, and no other one before the next transfer.
        isInImageType = request.order != nil && answer.error == nil
        if answer.lacksExtendedPassive { memory.noteLack(of: "EPSV") }
        return try settle(request, answer)
    }

    private func transfer(_ request: Request, _ begin: (TransferLoop, Transfer) -> Void) async -> Answer {
        let (loop, alarms) = opened()
        return await withCheckedContinuation { (continuation: CheckedContinuation<Answer, Never>) in
            let transfer = Transfer(
                request, scheme: origin.scheme, control: control, holdsGreeting: isSecuredFTP && holdsGreeting
            ) { continuation.resume(returning: $0) }
            alarms.set(.stall, after: max(originSettings.stallTimeout, request.patience) / 2)
            begin(loop, transfer)
        }
    }

    private func settle(_ request: Request, _ answer: Answer) throws(Stop) -> Answer {
        isInDialogue = answer.error == nil || request.isDialogue && answer.failed(CURLE_QUOTE_ERROR)
        if answer.error != nil {
            if request.movesData, isSecuredFTP { control.cutConnection() }
            try checkStop()
        }
        return answer
    }

    // MARK: Without libcurl

    private func converse(_ request: Request, over socket: Int32) async -> Answer {
        guard let order = request.order else {
            if request.commands.contains(where: \.setsType) { isInImageType = false }
            return await transfer(request) { loop, transfer in
                loop.begin(transfer, as: CommandDialogue(transfer, over: socket, resume: { self.resume() }))
            }
        }
        let hasType = isInImageType
        let answer = await transfer(request) { loop, transfer in
            alarms?.set(.curl, after: originSettings.connectTimeout)
            loop.begin(
                transfer,
                as: StoreDialogue(transfer, order, over: socket, of: control, hasType: hasType))
        }
        isInImageType = hasType || answer.replies.codes.first.map { $0 < 300 } ?? false
        if answer.refusesExtendedPassive { memory.noteLack(of: "EPSV") }
        // Whatever it was, it would be so with the next file.
        if answer.needsLibrary { memory.noteLack(of: StoreDialogue.name) }
        return answer
    }

    /// The control connection, where what is asked can go over it as it is: no TLS, no proxy.
    private func socketForDialogue(_ request: Request) -> Int32? {
        guard isInDialogue, origin.scheme == .ftp, originSettings.tls == .off,
            originSettings.path.proxy == nil,
            request.isDialogue || request.order != nil && storesItself, let socket = control.onlySocket,
            ControlChannel.isQuiet(socket)
        else { return nil }
        return socket
    }

    private var storesItself: Bool {
        let settings = originSettings
        return settings.data.mode == .passive && settings.data.extended && settings.path.sourceAddress == nil
            && !memory.lacks("EPSV") && !memory.lacks(StoreDialogue.name)
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

    /// Whether EPSV was refused where no PASV came after it.
    fileprivate var refusesExtendedPassive: Bool { needsLibrary && (500...599).contains(replies.code) }

    /// Whether EPSV was refused and PASV was not: libcurl remembers that for the connection only.
    fileprivate var lacksExtendedPassive: Bool {
        let codes = replies.codes
        guard let passive = codes.firstIndex(of: 227), passive > 0 else { return false }
        return (500...599).contains(codes[passive - 1]) && !codes[..<passive].contains(229)
    }
}

extension [UInt8] {
    /// Whether a command may change the type of transfers.
    fileprivate var setsType: Bool {
        let verb = drop { $0 == UInt8(ascii: "*") }.prefix(4).map { $0 & 0xdf }
        return verb == Array("TYPE".utf8) || verb == Array("REIN".utf8)
    }
}
