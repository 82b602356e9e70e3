internal import CCurl
internal import TransferModel

extension Lane {
    /// Carries out one request; throws only when the job is to stop, and not after it succeeded.
    ///
    /// A kept connection that turns out to be dead before anything was answered is replaced, once, at no cost.
    func perform(_ request: Request) async throws(Stop) -> Answer {
        var request = request
        if isFTP, request.hasTelnetBytes {
            if let failed = try await meetServer() { return failed }
            if memory.commandsSpeakTelnet == .spoken { request = request.withTelnetBytesDoubled }
        }
        let hasOwnConnection = isSecuredFTP && request.movesData && sessionReuse == .once && hasCarriedData
        let answer = try await once(request, isFresh: hasOwnConnection)
        guard request.mayRepeat, answer.foundDeadConnection || answer.hasOddExtendedPassive else {
            return answer
        }
        return try await once(request, isFresh: true)
    }

    /// Has the server introduce itself, where nobody has seen it yet; the answer when it cannot be had.
    private func meetServer() async throws(Stop) -> Answer? {
        guard memory.commandsSpeakTelnet == .unknown else { return nil }
        var greeting = Request(url: origin.root)
        greeting.commands = [Array("*NOOP".utf8)]
        greeting.isDialogue = true
        greeting.set(.noBody, true)
        let answer = try await once(greeting, isFresh: false)
        return answer.error == nil || answer.isLoggedIn ? nil : answer
    }

    private func once(_ plain: Request, isFresh: Bool) async throws(Stop) -> Answer {
        try checkStop()
        let isFresh = cutSpoiltConnection() || isFresh
        if !isFresh, plain.isDialogue, let kept { return try await converse(plain, kept) }
        if let licence = plain.licence { try await wait(for: licence) }
        var request = plain
        request.body = plain.body.map(rated)
        if !plain.takesList { request.sink = plain.sink.map(rated) }
        if terms.readsItself, plain.timeout == nil { request.reading = reading }
        let configuration = EasyConfiguration(lane: self, isFresh: isFresh)
        let answer = await carryOut(request) { loop, transfer in
            loop.begin(transfer) { (easy: borrowing CurlEasy) throws(CurlError) in
                try configuration.apply(to: easy)
            }
        }
        if isSecuredFTP { noteSession(answer, movesData: request.movesData) }
        isInImageType = request.leavesImageType && answer.error == nil
        if answer.lacksExtendedPassive || answer.hasOddExtendedPassive { memory.noteLack(of: "EPSV") }
        if answer.isFresh, let greeting = answer.greeting { memory.note(greeting: greeting) }
        isInDialogue = answer.error == nil || request.isDialogue && answer.failed(CURLE_QUOTE_ERROR)
        answeredAt = answer.error == nil && !answer.isFresh ? LaneAlarms.now : nil
        if answer.error != nil {
            // A server that refuses STOR or RETR closes the data connection before its TLS handshake; libcurl 7.88.1 takes
            // that for a failed EPSV and sends PASV, whose reply would answer the next request.
            if request.movesData, isSecuredFTP { control.cutConnection() }
            try checkStop()
        }
        return answer
    }

    private func carryOut(_ request: Request, _ begin: (TransferLoop, Transfer) -> Void) async -> Answer {
        let (loop, alarms) = opened()
        let transfer = Transfer(
            request, scheme: origin.scheme, control: control, holdsGreeting: isSecuredFTP && holdsGreeting)
        alarms.set(.stall, after: request.firstLook(terms.stallTimeout))
        if request.sink != nil { alarms.set(.look, after: TransferLoop.lookInterval) }
        begin(loop, transfer)
        if !transfer.isOver {
            await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
                // It may have ended on the way here, which can lead over the lane's queue.
                if transfer.isOver { return continuation.resume() }
                transfer.onEnd = { continuation.resume() }
            }
        }
        return transfer.answer
    }

    /// Whether there is a connection that its server keeps, over which an answer came so recently that nobody takes it for
    /// an idle one: the next request is as good as certain to reach the server.
    var hasJustAnswered: Bool {
        guard let answeredAt, control.isConnected else { return false }
        return LaneAlarms.now - answeredAt < 1_000_000_000
    }

    // MARK: Without libcurl

    private func converse(_ request: Request, _ kept: KeptConnection) async throws(Stop) -> Answer {
        if request.commands.contains(where: \.setsType) { isInImageType = false }
        let answer = await carryOut(request) { loop, transfer in
            loop.begin(transfer, as: CommandDialogue(transfer, over: kept, resume: { self.resume() }))
        }
        isInDialogue = answer.error == nil || answer.failed(CURLE_QUOTE_ERROR)
        if answer.error != nil { try checkStop() }
        return answer
    }

    /// Sends a small file over the kept connection. nil: nothing came of it that matters, and libcurl is to do it, with
    /// a new connection if need be.
    func store(_ order: StoreOrder, _ body: any StreamedBody) async throws(Stop) -> Answer? {
        try checkStop()
        guard terms.storesItself, sessionReuse == .kept, !(isSecuredFTP && holdsGreeting),
            !memory.lacks("EPSV"), !memory.lacks(StoreDialogue.name), let kept, kept.canCarryData
        else { return nil }
        let order = order.speakingTelnet(memory.commandsSpeakTelnet)
        var request = Request(url: "")
        request.body = rated(body)
        let hasType = isInImageType
        let answer = await carryOut(request) { loop, transfer in
            alarms?.set(.curl, after: terms.connectTimeout)
            loop.begin(
                transfer,
                as: StoreDialogue(transfer, order, over: kept, of: control, hasType: hasType))
        }
        isInDialogue = answer.error == nil && !answer.needsLibrary
        isInImageType = hasType || answer.replies.codes.first.map { $0 < 300 } ?? false
        if answer.error != nil || answer.needsLibrary { try checkStop() }
        guard !answer.foundDeadConnection else { return nil }
        guard answer.needsLibrary else {
            if isSecuredFTP { noteSession(answer, movesData: true) }
            return answer
        }
        if (500...599).contains(answer.replies.code) { memory.noteLack(of: "EPSV") }
        // Whatever it was, it would be so with the next file.
        memory.noteLack(of: StoreDialogue.name)
        return nil
    }

    /// The control connection, where commands can go over it as they are.
    private var kept: KeptConnection? {
        guard isInDialogue, terms.speaksItself, let connection = idleConnection,
            (connection.tls != nil) == isSecuredFTP, case .nothing = connection.unasked
        else { return nil }
        return connection
    }

    /// The control connection between two requests; nil when there is none.
    private var idleConnection: KeptConnection? {
        guard isFTP, let socket = control.onlySocket else { return nil }
        let isKnown = isInDialogue && terms.speaksItself && isSecuredFTP
        return KeptConnection(socket: socket, tls: isKnown ? loop?.tls : nil)
    }

    /// Breaks the connection when something came on it that nobody asked for: libcurl would take it for the reply to its
    /// next command or request, and every reply from then on for another's. Whether there was any. A connection that has
    /// ended is libcurl's to find.
    private func cutSpoiltConnection() -> Bool {
        guard hasSpoiltConnection else { return false }
        isInDialogue = false
        control.cutConnection()
        return true
    }

    /// Web servers say 408 to a connection that was idle for long, or send more than they announced. Over TLS its own last
    /// words count, too: a fresh connection is all that they cost.
    private var hasSpoiltConnection: Bool {
        if isFTP { return idleConnection?.isSpoilt ?? false }
        guard origin.scheme.isWeb else { return false }
        return control.socket { KeptConnection(socket: $0, tls: nil).isSpoilt } != nil
    }

    private var isSecuredFTP: Bool { terms.isSecuredFTP }

    private var isFTP: Bool { origin.scheme == .ftp || origin.scheme == .ftps }
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

    /// What an FTP server said first.
    fileprivate var greeting: [UInt8]? { replies.entries.first { $0.code == 220 }?.text }

    /// Whether EPSV was refused and PASV was not: libcurl remembers that for the connection only.
    fileprivate var lacksExtendedPassive: Bool {
        let codes = replies.codes
        guard let passive = codes.firstIndex(of: 227), passive > 0 else { return false }
        return (500...599).contains(codes[passive - 1]) && !codes[..<passive].contains(229)
    }

    /// Whether EPSV was answered with something that names no port, which libcurl makes nothing of.
    fileprivate var hasOddExtendedPassive: Bool {
        failed(CURLE_FTP_WEIRD_PASV_REPLY) && replies.code == 229 && sent == 0 && received == 0
    }
}

extension [UInt8] {
    /// Whether a command may change the type of transfers.
    fileprivate var setsType: Bool {
        let verb = drop { $0 == UInt8(ascii: "*") }.prefix(4).map { $0 & 0xdf }
        return verb == Array("TYPE".utf8) || verb == Array("REIN".utf8)
    }
}
