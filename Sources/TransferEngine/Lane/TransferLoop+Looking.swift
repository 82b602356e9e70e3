internal import CCurl
internal import TransferModel

/// What a transfer is looked at for while it goes on.
extension TransferLoop {
    /// How long the connection of the transfer took to be made once its address was known; nil: it is a kept one.
    var roundTrip: Duration? {
        let (connected, known) = (
            easy.offset(CURLINFO_CONNECT_TIME_T), easy.offset(CURLINFO_NAMELOOKUP_TIME_T)
        )
        return transfer != nil && connected > known ? .microseconds(connected - known) : nil
    }

    /// How often a body is looked at of which nothing comes.
    static let lookInterval = Duration.seconds(1)

    /// Ends a body that nobody wants any more, and looks whether one that is silent has been forgotten: with TLS, bytes may
    /// lie in libcurl while its socket has none, and whatever wake-up was lost, a second is all that it costs. Returns
    /// whether there was something.
    func lookAtBody() -> Bool {
        // What goes without libcurl is none of its business.
        guard dialogue == nil, let transfer, let sink = transfer.request.sink else { return false }
        alarms.set(.look, after: Self.lookInterval)
        let silence = Duration.nanoseconds(Int64(clamping: LaneAlarms.now - transfer.lastMove))
        guard silence >= Self.lookInterval, transfer.answer.received > 0 || transfer.isPaused else {
            return false
        }
        guard !sink.hasEnough else {
            transfer.answer.hasEnough = true
            abandon()
            return false
        }
        let received = transfer.answer.received
        if transfer.isPaused {
            resume()
        } else if reader == nil {
            isListening = false
            nudge(transfer)
        }
        return transfer.answer.received > received
    }
}
