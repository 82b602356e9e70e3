internal import CCurl
internal import TransferModel

/// How one libcurl transfer ended.
struct Answer: Sendable {
    /// nil: libcurl says that all went well, which may not be so (compare sizes and status codes).
    var error: CurlError?
    /// The last HTTP status or FTP reply code; 0 when there was none.
    var status = 0
    /// Whether a new connection was made, or tried.
    var isFresh = true
    /// Body bytes that libcurl took and may have sent.
    var sent: Int64 = 0
    /// Body bytes that libcurl has handed to the connection.
    var uploaded: Int64 = 0
    /// Body bytes that came.
    var received: Int64 = 0
    /// FTP: the replies of the server, the last of them kept.
    var replies = ReplyLog()
    /// `onLine` returned false.
    var wasRefused = false
    /// The body's sink wanted no more of it.
    var hasEnough = false
    /// No byte moved for the stall timeout, by the lane's own clock.
    var hasStalled = false
    /// What the body source or sink failed with.
    var bodyFailure: Failure?
    /// Whether the login was through: a reply 230 or 232 was seen, or the connection was a kept one.
    var isLoggedIn = false
    /// Whether the connection stood and the request was made: what goes wrong from then on may be its own fault.
    var hasAsked = false
    /// How far it came.
    var step = Step.connecting
    /// How long no byte and no reply had moved when it ended.
    var silence = Duration.zero
    /// An HTTP proxy's answer to CONNECT; 0 when there was none.
    var proxyStatus = 0
    /// libcurl's CURLPX_ code of a SOCKS proxy's refusal.
    var proxyError = 0
    /// It was tried without libcurl, and libcurl is to do it: nothing has come of it that matters.
    var needsLibrary = false
    /// How often libcurl had to be woken from its EPSV hang.
    var nudges = 0

    /// The connection, where the request keeps it and all went well.
    var socket: KeptSocket?

    /// Whether a limit of time ended it.
    var hasTimedOut: Bool {
        hasStalled || failed(CURLE_OPERATION_TIMEDOUT) || failed(CURLE_FTP_ACCEPT_TIMEOUT)
    }

    /// Whether nobody knew the address, so that nothing was connected.
    var isUnresolved: Bool { failed(CURLE_COULDNT_RESOLVE_HOST) || failed(CURLE_COULDNT_RESOLVE_PROXY) }

    func failed(_ code: CURLcode) -> Bool { error?.code == code.rawValue }
}
