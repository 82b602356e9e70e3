internal import CCurl
internal import TransferModel

extension FailureMeaning {
    /// The proxy did not let us through, or is not there.
    init?(proxy answer: Answer) {
        let advice = "; see 'proxy'"
        let wantsLogin = Self.proxyLoginAdvice
        if answer.failed(CURLE_COULDNT_RESOLVE_PROXY) {
            self.init(.temporary, .origin, advice: advice)
        } else if answer.failed(CURLE_PROXY) {
            switch answer.proxyError {
            case Int(CURLPX_NO_AUTH.rawValue), Int(CURLPX_USER_REJECTED.rawValue):
                self.init(.permanent, .login, advice: wantsLogin)
            case Int(CURLPX_REPLY_NOT_ALLOWED.rawValue):
                self.init(.permanent, .login, advice: "; the proxy does not allow it")
            case _: self.init(.temporary, .origin, advice: advice)
            }
        } else {
            switch answer.proxyStatus {
            case 407: self.init(.permanent, .login, advice: wantsLogin)
            case 500...599: self.init(.temporary, .origin, advice: advice)
            case 300...499:
                self.init(
                    .permanent, .login,
                    advice: "; the proxy does not allow \(answer.isLoggedIn ? "the data connection" : "it")")
            case _: return nil
            }
        }
    }

    static let proxyLoginAdvice =
        "; the proxy wants a login: 'machine HOST:PORT login … password …' with its own port in the netrc file"

    /// This machine does not have what the configuration names, or nobody reaches it.
    init?(machine answer: Answer) {
        if answer.failed(CURLE_INTERFACE_FAILED) {
            self.init(.local, .origin, advice: "; see 'source_address'")
        } else if answer.failed(CURLE_FTP_PORT_FAILED) {
            let isRefusal = answer.replies.code >= 400
            self.init(
                isRefusal ? .permanent : .local, isRefusal ? .job : .origin,
                advice: isRefusal ? "; see 'mode'" : "; see 'active_address'")
        } else if answer.failed(CURLE_FTP_ACCEPT_FAILED) || answer.failed(CURLE_FTP_ACCEPT_TIMEOUT) {
            self.init(
                .temporary, .job,
                advice: "; with 'mode = active' the server has to be able to connect to this machine")
        } else {
            return nil
        }
    }
}
