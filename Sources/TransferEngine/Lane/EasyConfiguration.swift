internal import CCurl
internal import TransferModel

/// The options that every request of a lane has: nothing is unbounded, nothing is believed without a certificate, and
/// nothing is taken from the environment.
struct EasyConfiguration {
    let scheme: Scheme
    let settings: OriginSettings
    let login: CredentialsTable.Login
    /// Whether a kept connection must not be used.
    let isFresh: Bool

    init(lane: isolated Lane, isFresh: Bool) {
        scheme = lane.origin.scheme
        settings = lane.originSettings
        login = lane.assignment?.login ?? .anonymous
        self.isFresh = isFresh
    }

    /// Bytes of libcurl's own buffers; see the memory that a transfer costs.
    static let bufferSize = 131_072

    func apply(to easy: borrowing CurlEasy) throws(CurlError) {
        try bounds(easy)
        try protocols(easy)
        try security(easy)
        try credentials(easy)
        try easy.set(.freshConnect, isFresh)
    }

    private func bounds(_ easy: borrowing CurlEasy) throws(CurlError) {
        try easy.set(.noSignal, true)
        // A resolver that is still at it must not hold up a transfer that is given up.
        try easy.set(.quickExit, true)
        try easy.set(.connectTimeoutMilliseconds, max(1, Int(settings.connectTimeout.wholeMilliseconds)))
        try easy.set(.serverResponseTimeout, max(1, Int(settings.stallTimeout.wholeMilliseconds / 1_000)))
        try easy.set(.keepAlive, true)
        try easy.set(.keepAliveIdle, 60)
        try easy.set(.keepAliveInterval, 15)
        try easy.set(.uploadBufferSize, Self.bufferSize)
        try easy.set(.receiveBufferSize, Self.bufferSize)
    }

    private func protocols(_ easy: borrowing CurlEasy) throws(CurlError) {
        try easy.set(.protocols, scheme.rawValue)
        try easy.set(.redirectProtocols, scheme.rawValue)
        try easy.set(.followLocation, false)
        try easy.set(.proxy, "")
        try easy.set(.noProxy, "*")
        // HTTP/2 has faults in 7.87 to 8.5.
        try easy.set(.httpVersion, Int(CURL_HTTP_VERSION_1_1))
        try easy.set(.skipPassiveAddress, true)
        // Full paths: no CWD, so that one command is one round trip.
        try easy.set(.ftpFileMethod, Int(CURLFTPMETHOD_NOCWD.rawValue))
    }

    private func security(_ easy: borrowing CurlEasy) throws(CurlError) {
        try easy.set(.verifyPeer, true)
        try easy.set(.verifyHost, 2)
        if let file = settings.trust.caFile { try easy.set(.certificates, file) }
        try easy.set(.sslVersion, Int(CURL_SSLVERSION_TLSv1_2) | newestTLS)
        if scheme == .ftp, settings.tls == .require {
            try easy.set(.useSSL, Int(CURLUSESSL_ALL.rawValue))
            try easy.set(.ftpTLSAuthentication, Int(CURLFTPAUTH_TLS.rawValue))
        }
        if scheme == .ftps { try easy.set(.useSSL, Int(CURLUSESSL_ALL.rawValue)) }
    }

    /// FTP over TLS 1.3 loses the ends of uploads in libcurl 7.88.1.
    private var newestTLS: Int {
        guard scheme == .ftp || scheme == .ftps else { return Int(CURL_SSLVERSION_MAX_DEFAULT) }
        switch settings.trust.tlsMaximum ?? .tls12 {
        case .tls10, .tls11, .tls12: return Int(CURL_SSLVERSION_MAX_TLSv1_2)
        case .tls13: return Int(CURL_SSLVERSION_MAX_TLSv1_3)
        }
    }

    private func credentials(_ easy: borrowing CurlEasy) throws(CurlError) {
        switch login {
        case .credentials(let credentials):
            try easy.set(.userName, credentials.user)
            try easy.set(.password, credentials.password)
        case .anonymous, .missing: break
        }
    }
}
