internal import CCurl
internal import TransferModel

/// What TLS was like, and what to do about it.
struct SecurityReport {
    let usesTLS: Bool
    /// How TLS came to be: `AUTH TLS`.
    let way: String
    let observer: TLSObserver
    let now: Timestamp

    func report(into description: inout ServerDescription) {
        guard usesTLS else {
            description.add("security", "none: password and files travel in clear")
            return
        }
        if let handshake = observer.handshakes.first {
            description.add("security", "\(handshake.version), \(handshake.cipher) (\(way))")
        } else {
            let isShown = observer.certificate != nil
            let words = isShown ? "its certificate is not trusted" : "TLS did not come about"
            description.add("security", "\(words) (\(way))")
        }
        guard let certificate = observer.certificate else { return }
        description.add("certificate", certificate.subject)
        description.add("issued by", certificate.issuer)
        if let hosts = certificate.hosts { description.add("valid for", hosts) }
        if let expires = certificate.expires {
            let isOver = expires < now
            description.add("expires", CalendarTime(expires).text + (isOver ? ", which is over" : ""))
        }
        description.add("fingerprint", "SHA256 \(certificate.fingerprint)")
        description.add("key", certificate.keyPin)
        if let objection = observer.objection { description.add("trust", "no: \(objection)") }
    }

    /// After the login to an FTP server.
    func advise(features: ServerFeatures, sendsPassword: Bool, into description: inout ServerDescription) {
        if !usesTLS, features.parameters(of: "AUTH")?.uppercased().contains("TLS") == true {
            description.advice.append(
                "The server can encrypt: put 'tls = require' into its [origin] section.")
        } else if !usesTLS, sendsPassword {
            description.advice.append(
                "The server does not offer TLS, so whoever is on the way can read the password; ask its operator "
                    + "for FTPS or SFTP.")
        }
        adviseOnCertificate(into: &description)
    }

    /// What to do about a certificate that was shown and taken.
    func adviseOnCertificate(into description: inout ServerDescription) {
        guard usesTLS, let certificate = observer.certificate else { return }
        if let expires = certificate.expires, expires < now + .seconds(30 * 86_400) {
            description.advice.append("The certificate expires within 30 days; its operator has to renew it.")
        }
        description.advice.append(
            "To accept no other key than this one: 'pinned_key = \(certificate.keyPin)'.")
    }

    /// The login did not come about.
    func advise(
        on failure: Failure, _ answer: Answer, settings: OriginSettings,
        into description: inout ServerDescription
    ) {
        if !usesTLS, answer.asksForTLS {
            description.advice.append(
                "The server takes no login without TLS: put 'tls = require' into its [origin] section.")
        }
        if answer.failed(CURLE_USE_SSL_FAILED) {
            description.advice.append(
                "The server does not do AUTH TLS; perhaps it speaks TLS from the start: an ftps:// address, port 990."
            )
        }
        if usesTLS, answer.failed(CURLE_SSL_CONNECT_ERROR), observer.certificate == nil {
            description.advice += versionAdvice(settings.trust)
        }
        if answer.isCrowded {
            description.advice.append(
                "The server takes fewer connections than there are: 'lanes = 1' in its [origin] section, or more "
                    + "where it permits them.")
        }
        guard let certificate = observer.certificate else { return }
        if answer.failed(CURLE_PEER_FAILED_VERIFICATION) || observer.objection != nil {
            description.certificate = certificate.pem
            description.advice.append(trustAdvice(certificate))
        }
        if answer.failed(CURLE_SSL_PINNEDPUBKEYNOTMATCH) {
            description.advice.append(
                "If the server's operator has changed its key to this one: 'pinned_key = \(certificate.keyPin)'."
            )
        }
    }

    private func trustAdvice(_ certificate: ServerCertificate) -> String {
        if let expires = certificate.expires, expires < now {
            return "The certificate has expired: only the server's operator can renew it."
        }
        guard observer.objection != nil else {
            return
                "The certificate is for \(certificate.hosts ?? certificate.subject): use a name in the address "
                + "that it is for."
        }
        return
            "Ask the server's operator whether its fingerprint is the one above. If so, save the certificate, as "
            + "it stands below, in a file and put 'ca_file = FILE' into the server's [origin] section."
    }

    private func versionAdvice(_ trust: TrustSettings) -> [String] {
        var advice = [
            "No TLS version or cipher suits both: an old server may need 'tls_min = 1.0' or 'tls_min = 1.1'."
        ]
        if trust.tlsMaximum != .tls13 {
            advice.append(
                "A server that speaks nothing older than TLS 1.3 needs 'tls_max = 1.3', with which libcurl may cut "
                    + "uploads; their sizes are compared in any case.")
        }
        return advice
    }
}

extension Answer {
    /// Whether the server refused a login in clear (RFC 4217, section 8; 522, 534).
    fileprivate var asksForTLS: Bool {
        let text = String(decoding: replies.text, as: UTF8.self).lowercased()
        return replies.code >= 400 && ["tls", "ssl", "encrypt", "secure"].contains { text.contains($0) }
    }

    fileprivate var isCrowded: Bool {
        let text = String(decoding: replies.text, as: UTF8.self).lowercased()
        return [421, 530].contains(replies.code)
            && ["too many", "maximum", "limit"].contains { text.contains($0) }
    }
}
