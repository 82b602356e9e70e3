internal import CCurl
internal import TransferModel

extension FailureMeaning {
    /// A certificate that isn't to be trusted, TLS refused, a key that changed: no byte may travel until a person has
    /// acted, for any job of this login; so it is the login that stops, loudly.
    init?(trust answer: Answer) {
        if answer.failed(CURLE_PEER_FAILED_VERIFICATION) || answer.failed(CURLE_SSL_ISSUER_ERROR) {
            self.init(.permanent, .login, advice: "; the server's certificate is not trusted, see 'ca_file'")
        } else if answer.failed(CURLE_SSL_PINNEDPUBKEYNOTMATCH) {
            self.init(.permanent, .login, advice: "; the server's public key is none of 'pinned_key'")
        } else if answer.failed(CURLE_USE_SSL_FAILED) {
            self.init(.permanent, .login, advice: "; TLS is required, and nothing is sent without it")
        } else if answer.hasForeignWords {
            self.init(
                .permanent, .login,
                advice: "; something stood behind the reply to AUTH before TLS began, as if a stranger spoke")
        } else if answer.failed(CURLE_SSL_CACERT_BADFILE) || answer.failed(CURLE_SSL_CRL_BADFILE) {
            self.init(.local, .origin, advice: "; see 'ca_file'")
        } else if answer.failed(CURLE_SSL_CERTPROBLEM) {
            self.init(.local, .origin, advice: "; see 'client_certificate' and 'client_key'")
        } else if answer.failed(CURLE_SSL_CIPHER) {
            self.init(.permanent, .login, advice: "; see 'tls_min' and 'tls_max'")
        } else if let meaning = Self(handshake: answer) {
            self = meaning
        } else {
            return nil
        }
    }

    /// TLS that did not come about: what OpenSSL says of it is all there is to tell the reasons apart (TLS alerts:
    /// RFC 8446, section 6.2).
    private init?(handshake answer: Answer) {
        let said = String(decoding: answer.error?.text ?? [], as: UTF8.self).lowercased()
        let mentions = { (words: [String]) in words.contains { said.contains($0) } }
        if answer.failed(CURLE_SSL_CLIENTCERT)
            || mentions([
                "alert bad certificate", "alert unknown ca", "certificate required", "alert certificate",
                "alert unsupported certificate", "alert access denied",
            ])
        {
            self.init(
                .permanent, .login,
                advice: "; the server does not accept who we are, see 'client_certificate'")
        } else if mentions(["alert handshake failure"]) {
            self.init(
                .permanent, .login,
                advice:
                    "; the server wants a certificate, see 'client_certificate', or another TLS, see 'tls_min'"
            )
        } else if mentions(["protocol version", "unsupported protocol", "no protocols available"]) {
            self.init(
                .permanent, .login, advice: "; no TLS version is common to both, see 'tls_min' and 'tls_max'")
        } else if mentions(["wrong version number", "packet length too long", "http request"]) {
            self.init(
                .temporary, .origin,
                advice:
                    "; what answers there speaks no TLS: is it ftp:// with 'tls = require', or another port?")
        } else {
            return nil
        }
    }
}

extension Answer {
    /// Whether words came in clear behind the server's consent to TLS (RFC 4217, section 4): libcurl gives up then.
    fileprivate var hasForeignWords: Bool {
        failed(CURLE_WEIRD_SERVER_REPLY) && !isLoggedIn
            && replies.codes.contains { $0 == 234 || $0 == 334 }
    }
}
