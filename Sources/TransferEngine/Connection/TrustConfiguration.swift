internal import CCurl
internal import TransferModel

/// Whom a connection trusts, how it shows who we are, and which TLS it speaks.
struct TrustConfiguration {
    let scheme: Scheme
    let settings: OriginSettings
    let resumesSessions: Bool

    /// The first libcurl that is known to end uploads over TLS 1.3 properly in FTP; nil: none was measured that does.
    /// 7.88.1 cut 15 to 22 of 30 files of 1 MB and reported success, with TLS 1.2 none.
    static let firstSafeWithTLS13: UInt32? = nil

    func apply(to easy: borrowing CurlEasy) throws(CurlError) {
        try server(easy)
        try ourselves(easy)
        try versions(easy)
        try easy.set(.sessionCache, resumesSessions)
        if scheme == .ftp, settings.tls == .require {
            try easy.set(.useSSL, Int(CURLUSESSL_ALL.rawValue))
            try easy.set(.ftpTLSAuthentication, Int(CURLFTPAUTH_TLS.rawValue))
        }
        if scheme == .ftps { try easy.set(.useSSL, Int(CURLUSESSL_ALL.rawValue)) }
    }

    private func server(_ easy: borrowing CurlEasy) throws(CurlError) {
        try easy.set(.verifyPeer, true)
        try easy.set(.verifyHost, 2)
        if let file = settings.trust.caFile {
            try easy.set(.certificates, file)
            // Debian's libcurl would go on to trust all that stands in the system's directory.
            try easy.set(.certificateDirectory, nil)
        }
        if !settings.trust.pinnedKeys.isEmpty {
            try easy.set(.pinnedPublicKey, settings.trust.pinnedKeys.joined(separator: ";"))
        }
    }

    private func ourselves(_ easy: borrowing CurlEasy) throws(CurlError) {
        guard let certificate = settings.trust.clientCertificate else { return }
        try easy.set(.clientCertificate, certificate)
        try easy.set(.clientKey, settings.trust.clientKey ?? certificate)
        // OpenSSL would ask the terminal for the passphrase of a key that has one.
        try easy.set(.clientKeyPassphrase, "")
    }

    private func versions(_ easy: borrowing CurlEasy) throws(CurlError) {
        try easy.set(.sslVersion, Self.oldest(settings.trust.tlsMinimum) | Self.newest(newestTLS))
        if settings.trust.tlsMinimum < .tls12 {
            // OpenSSL 3 takes the digests of these versions for too weak at its usual level.
            try easy.set(.cipherList, "DEFAULT@SECLEVEL=0")
        }
    }

    /// nil: the newest there is.
    private var newestTLS: TLSVersion? {
        let isFTP = scheme == .ftp || scheme == .ftps
        let standard = isFTP && !Self.isSafeWithTLS13 ? TLSVersion.tls12 : nil
        return (settings.trust.tlsMaximum ?? standard).map { max($0, settings.trust.tlsMinimum) }
    }

    private static let isSafeWithTLS13 =
        firstSafeWithTLS13.map {
            curl_version_info(CURLVERSION_FIRST).pointee.version_num >= $0
        } ?? false

    private static func oldest(_ version: TLSVersion) -> Int {
        switch version {
        case .tls10: Int(CURL_SSLVERSION_TLSv1_0)
        case .tls11: Int(CURL_SSLVERSION_TLSv1_1)
        case .tls12: Int(CURL_SSLVERSION_TLSv1_2)
        case .tls13: Int(CURL_SSLVERSION_TLSv1_3)
        }
    }

    private static func newest(_ version: TLSVersion?) -> Int {
        switch version {
        case nil: Int(CURL_SSLVERSION_MAX_DEFAULT)
        case .tls10: Int(CURL_SSLVERSION_MAX_TLSv1_0)
        case .tls11: Int(CURL_SSLVERSION_MAX_TLSv1_1)
        case .tls12: Int(CURL_SSLVERSION_MAX_TLSv1_2)
        case .tls13: Int(CURL_SSLVERSION_MAX_TLSv1_3)
        }
    }
}
