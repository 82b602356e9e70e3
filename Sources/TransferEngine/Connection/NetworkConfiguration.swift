internal import CCurl
internal import Glibc
internal import TransferModel

/// The way through the network to an origin, whatever is spoken there: time limits, proxy, source address and address
/// family. Nothing of it is taken from the environment.
struct NetworkConfiguration {
    let scheme: Scheme
    let settings: OriginSettings
    let proxyLogin: Credentials?

    /// CURLAUTH_BASIC, a macro with a cast that Swift does not import: user and password as they are.
    private static let basicAuthentication = 1

    func apply(to easy: borrowing CurlEasy) throws(CurlError) {
        try bounds(easy)
        try proxy(easy)
        try addresses(easy)
    }

    private func bounds(_ easy: borrowing CurlEasy) throws(CurlError) {
        try easy.set(.noSignal, true)
        // A resolver that is still at it must not hold up a transfer that is given up.
        try easy.set(.quickExit, true)
        // libcurl keeps an entry for each port of a data connection for a minute and goes through all of them whenever it
        // connects: after 2,000 small files that took a quarter of the CPU. A lane connects once, and asks anew then.
        try easy.set(.nameCacheTimeout, 0)
        try easy.set(.connectTimeoutMilliseconds, max(1, Int(settings.connectTimeout.wholeMilliseconds)))
        try easy.set(.serverResponseTimeout, max(1, Int(settings.stallTimeout.wholeMilliseconds / 1_000)))
        try easy.set(.keepAlive, true)
        try easy.set(.keepAliveIdle, 60)
        try easy.set(.keepAliveInterval, 15)
    }

    private func proxy(_ easy: borrowing CurlEasy) throws(CurlError) {
        guard let proxy = settings.path.proxy else {
            try easy.set(.proxy, "")
            try easy.set(.noProxy, "*")
            return
        }
        try easy.set(.proxy, proxy.description)
        // Without a text of its own libcurl asks the environment.
        try easy.set(.noProxy, "")
        // Many proxies let nobody through to a port of plain HTTP, but carry such requests themselves.
        try easy.set(.proxyTunnel, scheme != .http)
        // What the proxy says is none of the server's words.
        try easy.set(.suppressConnectHeaders, true)
        try easy.set(.proxyAuthentication, Self.basicAuthentication)
        // No ticket of whoever started the daemon.
        try easy.set(.socksAuthentication, Self.basicAuthentication)
        if let proxyLogin {
            try easy.set(.proxyUserName, proxyLogin.user)
            try easy.set(.proxyPassword, proxyLogin.password)
        }
        guard proxy.scheme == .https else { return }
        try easy.set(.proxySSLVersion, Int(CURL_SSLVERSION_TLSv1_2))
        try easy.set(.proxyVerifyPeer, true)
        try easy.set(.proxyVerifyHost, 2)
        if let file = settings.trust.caFile {
            try easy.set(.proxyCertificates, file)
            try easy.set(.proxyCertificateDirectory, nil)
        }
    }

    private func addresses(_ easy: borrowing CurlEasy) throws(CurlError) {
        switch settings.path.addressFamily {
        case .any: try easy.set(.addressFamily, Int(CURL_IPRESOLVE_WHATEVER))
        case .ipv4: try easy.set(.addressFamily, Int(CURL_IPRESOLVE_V4))
        case .ipv6: try easy.set(.addressFamily, Int(CURL_IPRESOLVE_V6))
        }
        if let source = settings.path.sourceAddress {
            // Without the prefix libcurl would look an interface's name up as that of a host.
            try easy.set(.interface, (Self.isAddress(source) ? "host!" : "if!") + source)
        }
    }

    /// Whether a text is an IP address, and not the name of an interface.
    private static func isAddress(_ text: String) -> Bool {
        var address = in6_addr()
        return inet_pton(AF_INET, text, &address) == 1 || inet_pton(AF_INET6, text, &address) == 1
    }
}
