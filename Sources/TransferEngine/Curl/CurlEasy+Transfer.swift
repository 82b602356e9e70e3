internal import CCurl
internal import TransferModel

/// What a transfer puts into an easy handle, and what it finds there.
extension CurlEasy {
    /// After the lane's own options. `transfer` has to outlive its end, `control` every connection.
    func attach(_ transfer: Transfer, control: LaneControl) throws(CurlError) {
        let request = transfer.request
        try set(.url, request.url)
        if let commands = transfer.commands { try set(CURLOPT_QUOTE, list: commands) }
        if let commands = transfer.commandsBeforeData { try set(CURLOPT_PREQUOTE, list: commands) }
        if let headers = transfer.headers { try set(CURLOPT_HTTPHEADER, list: headers) }
        if let timeout = request.timeout { try set(.timeoutMilliseconds, Int(timeout.wholeMilliseconds)) }
        try setCallbacks(transfer: transfer, control: control)
        if let observer = request.observer { try setObserver(observer) }
        for setting in request.settings { try set(setting) }
        if let piece = request.piece { try set(piece) }
    }

    /// libcurl keeps a copy of the body, and sends it with the head where it is small.
    private func set(_ piece: [UInt8]) throws(CurlError) {
        try set(.postSize, Int64(piece.count))
        try check(piece.withUnsafeBytes { transferd_easy_copy_body(handle, $0.baseAddress) })
    }

    /// Body bytes that were handed to the connection so far.
    var uploaded: Int64 { offset(CURLINFO_SIZE_UPLOAD_T) }

    /// What the transfer came through.
    var milestones: Step.Milestones {
        Step.Milestones(
            hasAddress: offset(CURLINFO_NAMELOOKUP_TIME_T) > 0,
            isConnected: offset(CURLINFO_CONNECT_TIME_T) > 0,
            isSecured: offset(CURLINFO_APPCONNECT_TIME_T) > 0)
    }

    /// Completes the answer of the transfer that has ended with `code`.
    func complete(_ answer: inout Answer, _ code: CURLcode) {
        if code != CURLE_OK { answer.error = error(code) }
        answer.status = long(CURLINFO_RESPONSE_CODE)
        answer.hasAsked = offset(CURLINFO_PRETRANSFER_TIME_T) > 0
        answer.uploaded = uploaded
        answer.proxyStatus = long(CURLINFO_HTTP_CONNECTCODE)
        answer.proxyError = long(CURLINFO_PROXY_ERROR)
    }
}
