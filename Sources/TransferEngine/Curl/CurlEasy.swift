internal import CCurl

/// One easy handle: the options and the state of one transfer at a time. Used on one queue.
struct CurlEasy: ~Copyable {
    let handle: UnsafeMutableRawPointer
    private let errorText: UnsafeMutablePointer<CChar>

    init() {
        CurlGlobal.require()
        guard let handle = curl_easy_init() else { preconditionFailure("memory for an easy handle") }
        self.handle = handle
        errorText = .allocate(capacity: Int(CURL_ERROR_SIZE))
        errorText.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
    }

    deinit {
        curl_easy_cleanup(handle)
        errorText.deallocate()
    }

    /// Forgets all options; the connection, the TLS sessions and the name cache stay.
    func reset() {
        curl_easy_reset(handle)
        errorText[0] = 0
        transferd_easy_set_pointer(handle, CURLOPT_ERRORBUFFER, errorText)
    }

    func set<Value: CurlValue>(_ option: CurlOption<Value>, _ value: Value) throws(CurlError) {
        try check(value.set(option.code, on: handle))
    }

    func set(_ setting: CurlSetting) throws(CurlError) {
        try check(setting.value.set(setting.code, on: handle))
    }

    /// `list` has to outlive the transfer.
    func set(_ option: CURLoption, list: CurlList) throws(CurlError) {
        try check(transferd_easy_set_list(handle, option, list.head))
    }

    func check(_ code: CURLcode) throws(CurlError) {
        guard code == CURLE_OK else { throw CurlError(code) }
    }

    func error(_ code: CURLcode) -> CurlError {
        CurlError(code, text: Array(String(cString: errorText).utf8))
    }

    func long(_ info: CURLINFO) -> Int {
        var value = 0
        transferd_easy_get_long(handle, info, &value)
        return value
    }

    func offset(_ info: CURLINFO) -> Int64 {
        var value: curl_off_t = 0
        transferd_easy_get_offset(handle, info, &value)
        return Int64(value)
    }

    /// Of the last connection, while the handle is in its multi handle; -1: there is none.
    var socket: Int32 {
        var value: curl_socket_t = -1
        transferd_easy_get_socket(handle, &value)
        return value
    }

    /// OpenSSL's part of the connection, while a transfer goes on over one that speaks TLS by it
    /// (https://curl.se/libcurl/c/CURLINFO_TLS_SSL_PTR.html); libcurl's as long as the connection lives.
    var tls: OpaquePointer? {
        var found: UnsafeMutablePointer<curl_tlssessioninfo>?
        guard transferd_easy_get_tls(handle, &found) == CURLE_OK, let found,
            found.pointee.backend == CURLSSLBACKEND_OPENSSL
        else { return nil }
        return found.pointee.internals.map { OpaquePointer($0) }
    }

    /// Stops the directions in `mask` and starts all others.
    func pause(_ mask: Int32) -> CURLcode { curl_easy_pause(handle, mask) }
}
