internal import CCurl
internal import TransferModel

/// The options that every request of a lane has: nothing is unbounded, nothing is believed without a certificate, and
/// nothing is taken from the environment.
struct EasyConfiguration {
    let scheme: Scheme
    let settings: OriginSettings
    let login: CredentialsTable.Login
    let proxyLogin: Credentials?
    /// Whether a kept connection must not be used.
    let isFresh: Bool
    /// How a web server is told who we are.
    let authentication: HTTPAuthentication
    /// Whether TLS sessions are resumed.
    let resumesSessions: Bool
    /// No more comes at once than a rate allows in a tenth of a second.
    let receiveBufferSize: Int
    /// Whether EPSV and EPRT are worth a try.
    let extendsData: Bool

    init(lane: isolated Lane, isFresh: Bool) {
        scheme = lane.origin.scheme
        settings = lane.originSettings
        login = lane.assignment?.login ?? .anonymous
        proxyLogin = lane.assignment?.proxyLogin
        self.isFresh = isFresh
        authentication =
            scheme.isWeb ? lane.assignment?.request.authentication ?? .basic : .basic
        receiveBufferSize = min(Self.bufferSize, lane.assignment?.rates.largestPiece ?? Self.bufferSize)
        resumesSessions = lane.sessionReuse != .never
        extendsData = settings.data.extended && !lane.memory.lacks("EPSV")
    }

    /// Bytes of libcurl's own buffers; see the memory that a transfer costs.
    static let bufferSize = 131_072

    func apply(to easy: borrowing CurlEasy) throws(CurlError) {
        try NetworkConfiguration(scheme: scheme, settings: settings, proxyLogin: proxyLogin).apply(to: easy)
        try easy.set(.uploadBufferSize, Self.bufferSize)
        try easy.set(.receiveBufferSize, receiveBufferSize)
        try protocols(easy)
        try TrustConfiguration(scheme: scheme, settings: settings, resumesSessions: resumesSessions)
            .apply(to: easy)
        if scheme == .ftp || scheme == .ftps {
            try DataConnectionConfiguration(settings: settings, isExtended: extendsData).apply(to: easy)
        }
        try credentials(easy)
        try easy.set(.freshConnect, isFresh)
    }

    private func protocols(_ easy: borrowing CurlEasy) throws(CurlError) {
        try easy.set(.protocols, scheme.rawValue)
        try easy.set(.redirectProtocols, scheme.rawValue)
        try easy.set(.followLocation, false)
        // HTTP/2 has faults in 7.87 to 8.5.
        try easy.set(.httpVersion, Int(CURL_HTTP_VERSION_1_1))
    }

    private func credentials(_ easy: borrowing CurlEasy) throws(CurlError) {
        guard case .credentials(let credentials) = login else { return }
        switch authentication {
        case .basic:
            try easy.set(.userName, credentials.user)
            try easy.set(.password, credentials.password)
        case .bearer:
            try easy.set(.httpAuthentication, Self.bearerAuthentication)
            try easy.set(.bearerToken, credentials.password)
        // Made from the server's challenge, as a header field.
        case .digest: break
        }
    }

    /// CURLAUTH_BEARER, a macro with a cast that Swift does not import.
    private static let bearerAuthentication = 1 << 6
}
