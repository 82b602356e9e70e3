internal import CCurl
internal import TransferModel

/// Transfers that go over the control connection, which is idle, without libcurl.
extension TransferLoop {
    func begin(_ transfer: Transfer, as dialogue: any Dialogue) {
        precondition(self.transfer == nil, "a lane carries one request at a time")
        self.transfer = transfer
        self.dialogue = dialogue
        if let timeout = transfer.request.timeout { alarms.set(.curl, after: timeout) }
        converse { dialogue.begin() }
    }

    /// Acts, and waits a moment for the replies: a server that is near answers in less time than it takes to have the lane
    /// called when it does.
    func converse(_ act: () -> DialogueEnd?) {
        guard let dialogue else { return }
        var end = act()
        let start = LaneAlarms.now
        while end == nil {
            let waited = Int32(clamping: (LaneAlarms.now - start) / 1_000_000)
            guard waited < Self.listeningTime, dialogue.wait(for: Self.listeningTime - waited) else { break }
            end = dialogue.proceed()
        }
        if let end { return finishDialogue(end) }
        hearDialogue()
    }

    /// Has the lane called when what the dialogue waits for is there.
    func hearDialogue() {
        guard let dialogue else { return }
        switch dialogue.awaits {
        case .reply: watch([(dialogue.control.socket, CURL_POLL_IN)])
        case .data(let socket, let what): watch([(dialogue.control.socket, CURL_POLL_IN), (socket, what)])
        case .resumption:
            watch([])
            transfer?.pause()
        }
        sockets.hear()
    }

    private func watch(_ wanted: [(socket: Int32, what: Int32)]) {
        for socket in watchedForDialogue where !wanted.contains(where: { $0.socket == socket }) {
            sockets.watch(socket, CURL_POLL_REMOVE)
        }
        for (socket, what) in wanted { sockets.watch(socket, what) }
        watchedForDialogue = wanted.map(\.socket)
    }

    func finishDialogue(_ end: DialogueEnd) {
        guard let dialogue, let transfer else { return }
        watch([])
        dialogue.close()
        self.dialogue = nil
        self.transfer = nil
        alarms.clear(.curl)
        alarms.clear(.stall)
        alarms.clear(.look)
        // What is still to be answered would be taken for another's reply.
        if dialogue.control.open > 0 { control.cutConnection() }
        switch end {
        case .needsLibrary: transfer.answer.needsLibrary = true
        case .code(let code):
            if code != CURLE_OK {
                transfer.answer.error = CurlError(code)
                if !code.leavesConnection { control.cutConnection() }
            }
        }
        transfer.answer.status = transfer.answer.replies.code
        transfer.answer.hasAsked = true
        transfer.end()
    }
}

extension CURLcode {
    /// Whether the connection is as good as before: after a refusal it is, after anything else nobody knows what is to come.
    fileprivate var leavesConnection: Bool {
        [CURLE_QUOTE_ERROR, CURLE_WRITE_ERROR, CURLE_UPLOAD_FAILED, CURLE_PARTIAL_FILE].contains {
            rawValue == $0.rawValue
        }
    }
}
