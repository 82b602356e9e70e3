internal import CCurl

extension CurlEasy {
    /// Has `observer` watch the TLS handshakes of the next transfer, during which the caller keeps it.
    func setObserver(_ observer: TLSObserver) throws(CurlError) {
        try check(transferd_easy_set_context_function(handle, TLSObserver.prepare))
        let context = Unmanaged.passUnretained(observer).toOpaque()
        try check(transferd_easy_set_pointer(handle, CURLOPT_SSL_CTX_DATA, context))
    }
}
