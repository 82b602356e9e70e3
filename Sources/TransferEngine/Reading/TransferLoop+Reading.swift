internal import CCurl
internal import TransferModel

/// Bodies whose rest the lane reads itself.
extension TransferLoop {
    /// Takes the connection over from libcurl where the rest of the body is long and comes quickly; whether it did.
    func takesOver() -> Bool {
        guard reader == nil, let transfer, !transfer.isPaused, let terms = transfer.request.reading,
            transfer.comesQuickly(by: terms), let sink = transfer.request.sink,
            let length = sink.plainLength, length - transfer.answer.received >= terms.smallestRest,
            let socket = sockets.only, let tls = wayIn(transfer.scheme), easy.pause(CURLPAUSE_ALL) == CURLE_OK
        else { return false }
        reader = BodyReader(
            transfer, into: sink, rest: length - transfer.answer.received, from: socket, tls: tls.connection,
            control: transfer.isFTP ? control.mainSocket : nil)
        forgetUrgency()
        sockets.watch(socket, CURL_POLL_IN)
        return true
    }

    private struct WayIn {
        /// nil: none is needed.
        let connection: OpaquePointer?
    }

    /// How a body's bytes are read; nil where only libcurl can.
    private func wayIn(_ scheme: Scheme) -> WayIn? {
        switch scheme {
        case .http: WayIn(connection: nil)
        case .https: easy.tls.map(WayIn.init)
        case .ftp: control.mainSocket.map { _ in WayIn(connection: nil) }
        case .ftps, .sftp: nil
        }
    }

    /// Reads what is there, and waits a moment for more, but not so long that others would notice.
    func readBody() {
        guard let reader, let transfer else { return }
        sockets.mute()
        let start = LaneAlarms.now
        while true {
            let event = reader.proceed()
            let waited = Int32(clamping: (LaneAlarms.now - start) / 1_000_000)
            let left = Self.listeningTime - waited
            switch event {
            case .moved where left > 0: continue
            case .moved: return giveWay()
            case .nothing where left > 0 && reader.wait(for: left): continue
            case .nothing: return hearBody(reader, transfer)
            case .waits: return transfer.pause()
            case .ended(let code, let words): return endReading(transfer, code, words)
            }
        }
    }

    private func hearBody(_ reader: BodyReader, _ transfer: Transfer) {
        transfer.request.sink?.settle()
        if !sockets.isWatched(reader.socket) { sockets.watch(reader.socket, CURL_POLL_IN) }
        sockets.hear()
    }

    private func endReading(_ transfer: Transfer, _ code: CURLcode, _ words: String?) {
        if transfer.isFTP { control.cutConnection() }
        finish(transfer, code, words)
    }

    /// libcurl has its connection back, for nothing but to close it; false when it had it.
    func leaveReading() -> Bool {
        guard let reader else { return false }
        sockets.forget()
        reader.close()
        self.reader = nil
        return true
    }
}
