internal import CCurl

/// libcurl's process-wide state, set up once before the first handle.
enum CurlGlobal {
    private static let result = curl_global_init(Int(CURL_GLOBAL_DEFAULT))

    /// Traps when libcurl can't be set up: it then has no memory or no TLS library, and nothing can travel.
    static func require() {
        precondition(result == CURLE_OK, "libcurl can be set up")
    }
}
