internal import CCurl
internal import TransferModel

/// An option of an easy handle, tied to the type of its value: a wrong pair does not compile.
///
/// Source: curl_easy_setopt(3). `Int` is C's long, `Int64` libcurl's curl_off_t.
struct CurlOption<Value> {
    let code: CURLoption
}

/// A value that an option can have.
protocol CurlValue {
    func set(_ option: CURLoption, on easy: UnsafeMutableRawPointer) -> CURLcode
}

/// An option with its value, to be set later.
struct CurlSetting {
    let code: CURLoption
    let value: any CurlValue

    init<Value: CurlValue>(_ option: CurlOption<Value>, _ value: Value) {
        code = option.code
        self.value = value
    }
}

extension Int: CurlValue {
    func set(_ option: CURLoption, on easy: UnsafeMutableRawPointer) -> CURLcode {
        transferd_easy_set_long(easy, option, self)
    }
}

extension Bool: CurlValue {
    func set(_ option: CURLoption, on easy: UnsafeMutableRawPointer) -> CURLcode {
        transferd_easy_set_long(easy, option, self ? 1 : 0)
    }
}

extension Int64: CurlValue {
    func set(_ option: CURLoption, on easy: UnsafeMutableRawPointer) -> CURLcode {
        transferd_easy_set_offset(easy, option, curl_off_t(self))
    }
}

extension String: CurlValue {
    func set(_ option: CURLoption, on easy: UnsafeMutableRawPointer) -> CURLcode {
        withCString { transferd_easy_set_text(easy, option, $0) }
    }
}

/// nil takes a text away that libcurl has by itself.
extension String?: CurlValue {
    func set(_ option: CURLoption, on easy: UnsafeMutableRawPointer) -> CURLcode {
        self?.set(option, on: easy) ?? transferd_easy_set_text(easy, option, nil)
    }
}

extension FilePath: CurlValue {
    func set(_ option: CURLoption, on easy: UnsafeMutableRawPointer) -> CURLcode {
        withCString { transferd_easy_set_text(easy, option, $0) }
    }
}

extension CurlOption<Bool> {
    static var verbose: Self { Self(code: CURLOPT_VERBOSE) }
    static var noSignal: Self { Self(code: CURLOPT_NOSIGNAL) }
    static var quickExit: Self { Self(code: CURLOPT_QUICK_EXIT) }
    static var upload: Self { Self(code: CURLOPT_UPLOAD) }
    static var noBody: Self { Self(code: CURLOPT_NOBODY) }
    static var post: Self { Self(code: CURLOPT_POST) }
    static var append: Self { Self(code: CURLOPT_APPEND) }
    static var transferText: Self { Self(code: CURLOPT_TRANSFERTEXT) }
    static var freshConnect: Self { Self(code: CURLOPT_FRESH_CONNECT) }
    static var forbidReuse: Self { Self(code: CURLOPT_FORBID_REUSE) }
    static var followLocation: Self { Self(code: CURLOPT_FOLLOWLOCATION) }
    static var keepAlive: Self { Self(code: CURLOPT_TCP_KEEPALIVE) }
    static var verifyPeer: Self { Self(code: CURLOPT_SSL_VERIFYPEER) }
    static var skipPassiveAddress: Self { Self(code: CURLOPT_FTP_SKIP_PASV_IP) }
    static var connectOnly: Self { Self(code: CURLOPT_CONNECT_ONLY) }
    static var pathAsIs: Self { Self(code: CURLOPT_PATH_AS_IS) }
    static var extendedPassive: Self { Self(code: CURLOPT_FTP_USE_EPSV) }
    static var extendedActive: Self { Self(code: CURLOPT_FTP_USE_EPRT) }
    static var proxyTunnel: Self { Self(code: CURLOPT_HTTPPROXYTUNNEL) }
    static var suppressConnectHeaders: Self { Self(code: CURLOPT_SUPPRESS_CONNECT_HEADERS) }
    static var proxyVerifyPeer: Self { Self(code: CURLOPT_PROXY_SSL_VERIFYPEER) }
    static var sessionCache: Self { Self(code: CURLOPT_SSL_SESSIONID_CACHE) }
    static var fileTime: Self { Self(code: CURLOPT_FILETIME) }
    static var ignoreContentLength: Self { Self(code: CURLOPT_IGNORE_CONTENT_LENGTH) }
}

extension CurlOption<Int> {
    static var connectTimeoutMilliseconds: Self { Self(code: CURLOPT_CONNECTTIMEOUT_MS) }
    /// Seconds.
    static var serverResponseTimeout: Self { Self(code: CURLOPT_SERVER_RESPONSE_TIMEOUT) }
    /// Seconds.
    static var nameCacheTimeout: Self { Self(code: CURLOPT_DNS_CACHE_TIMEOUT) }
    static var timeoutMilliseconds: Self { Self(code: CURLOPT_TIMEOUT_MS) }
    static var httpVersion: Self { Self(code: CURLOPT_HTTP_VERSION) }
    static var sslVersion: Self { Self(code: CURLOPT_SSLVERSION) }
    static var verifyHost: Self { Self(code: CURLOPT_SSL_VERIFYHOST) }
    static var useSSL: Self { Self(code: CURLOPT_USE_SSL) }
    static var ftpTLSAuthentication: Self { Self(code: CURLOPT_FTPSSLAUTH) }
    static var ftpFileMethod: Self { Self(code: CURLOPT_FTP_FILEMETHOD) }
    static var uploadBufferSize: Self { Self(code: CURLOPT_UPLOAD_BUFFERSIZE) }
    static var receiveBufferSize: Self { Self(code: CURLOPT_BUFFERSIZE) }
    static var keepAliveIdle: Self { Self(code: CURLOPT_TCP_KEEPIDLE) }
    static var keepAliveInterval: Self { Self(code: CURLOPT_TCP_KEEPINTVL) }
    static var expect100TimeoutMilliseconds: Self { Self(code: CURLOPT_EXPECT_100_TIMEOUT_MS) }
    static var httpAuthentication: Self { Self(code: CURLOPT_HTTPAUTH) }
    static var proxyAuthentication: Self { Self(code: CURLOPT_PROXYAUTH) }
    static var socksAuthentication: Self { Self(code: CURLOPT_SOCKS5_AUTH) }
    static var proxySSLVersion: Self { Self(code: CURLOPT_PROXY_SSLVERSION) }
    static var proxyVerifyHost: Self { Self(code: CURLOPT_PROXY_SSL_VERIFYHOST) }
    static var addressFamily: Self { Self(code: CURLOPT_IPRESOLVE) }
    static var acceptTimeoutMilliseconds: Self { Self(code: CURLOPT_ACCEPTTIMEOUT_MS) }
}

extension CurlOption<Int64> {
    static var uploadSize: Self { Self(code: CURLOPT_INFILESIZE_LARGE) }
    static var postSize: Self { Self(code: CURLOPT_POSTFIELDSIZE_LARGE) }
    static var resumeFrom: Self { Self(code: CURLOPT_RESUME_FROM_LARGE) }
}

extension CurlOption<String> {
    static var url: Self { Self(code: CURLOPT_URL) }
    static var protocols: Self { Self(code: CURLOPT_PROTOCOLS_STR) }
    static var redirectProtocols: Self { Self(code: CURLOPT_REDIR_PROTOCOLS_STR) }
    static var proxy: Self { Self(code: CURLOPT_PROXY) }
    static var noProxy: Self { Self(code: CURLOPT_NOPROXY) }
    static var proxyUserName: Self { Self(code: CURLOPT_PROXYUSERNAME) }
    static var proxyPassword: Self { Self(code: CURLOPT_PROXYPASSWORD) }
    /// `host!ADDRESS` or `if!NAME`.
    static var interface: Self { Self(code: CURLOPT_INTERFACE) }
    /// What PORT or EPRT names: an address, an interface, or `-`.
    static var activeAddress: Self { Self(code: CURLOPT_FTPPORT) }
    /// `sha256//BASE64`, several joined by semicolons.
    static var pinnedPublicKey: Self { Self(code: CURLOPT_PINNEDPUBLICKEY) }
    static var clientKeyPassphrase: Self { Self(code: CURLOPT_KEYPASSWD) }
    static var cipherList: Self { Self(code: CURLOPT_SSL_CIPHER_LIST) }
    static var userName: Self { Self(code: CURLOPT_USERNAME) }
    static var password: Self { Self(code: CURLOPT_PASSWORD) }
    static var bearerToken: Self { Self(code: CURLOPT_XOAUTH2_BEARER) }
    /// `FIRST-` or `FIRST-LAST`, in bytes.
    static var range: Self { Self(code: CURLOPT_RANGE) }
    static var userAgent: Self { Self(code: CURLOPT_USERAGENT) }
    /// Has libcurl undo the coding of what comes; the field itself is sent as given.
    static var acceptEncoding: Self { Self(code: CURLOPT_ACCEPT_ENCODING) }
    static var customRequest: Self { Self(code: CURLOPT_CUSTOMREQUEST) }
}

extension CurlOption<String?> {
    static var certificateDirectory: Self { Self(code: CURLOPT_CAPATH) }
    static var proxyCertificateDirectory: Self { Self(code: CURLOPT_PROXY_CAPATH) }
}

extension CurlOption<FilePath> {
    static var certificates: Self { Self(code: CURLOPT_CAINFO) }
    static var proxyCertificates: Self { Self(code: CURLOPT_PROXY_CAINFO) }
    static var clientCertificate: Self { Self(code: CURLOPT_SSLCERT) }
    static var clientKey: Self { Self(code: CURLOPT_SSLKEY) }
}
