import TransferModel

/// The certificates, keys and TLS versions of every `[origin]`.
struct TrustCheck {
    private let settings: Settings
    private let sandbox: UnitSandbox
    private let environment: [String: String]

    init(_ settings: Settings, sandbox: UnitSandbox, environment: [String: String]) {
        self.settings = settings
        self.sandbox = sandbox
        self.environment = environment
    }

    func findings() -> [Finding] {
        settings.origins.flatMap { origin in
            files(of: origin).compactMap(finding) + [oldVersion(origin), agent(origin)].compactMap(\.self)
        } + strangers()
    }

    // MARK: Files

    /// What a file has to hold.
    private enum Content {
        case certificate, privateKey, certificateAndKey
        /// A private key that may have a passphrase.
        case identity
        case hostKeys
    }

    private struct File {
        /// `ca_file of [origin partner]`
        let key: String
        let path: FilePath
        let content: Content
    }

    private func files(of origin: OriginSettings) -> [File] {
        let trust = origin.trust
        let certificate: Content = trust.clientKey == nil ? .certificateAndKey : .certificate
        let candidates: [(String, FilePath?, Content)] = [
            ("ca_file", trust.caFile, .certificate),
            ("client_certificate", trust.clientCertificate, certificate),
            ("client_key", trust.clientKey, .privateKey), ("identity", trust.identity, .identity),
            ("known_hosts", trust.knownHosts, .hostKeys),
        ]
        return candidates.compactMap { key, path, content in
            path.map { File(key: "\(key) of [origin \(origin.name)]", path: $0, content: content) }
        }
    }

    private func finding(_ file: File) -> Finding? {
        let line = sandbox.line(for: file.path, .read)
        let subject = "\(file.key): '\(file.path)'"
        do throws(FileContent.Refusal) {
            let content = try FileContent(of: file.path)
            if let objection = objection(to: content, file) {
                return Finding(.error, "\(subject) \(objection)")
            }
        } catch {
            let advice = sandbox.isInside ? line.map { "; \(UnitSandbox.advice($0))" } : nil
            return Finding(.error, "\(subject) can't be read: \(error.reason)\(advice ?? "")")
        }
        guard let line, !sandbox.isInside else { return nil }
        return Finding(
            .warning, "\(subject) is hidden from the service by its unit; \(UnitSandbox.advice(line))")
    }

    private func objection(to content: FileContent, _ file: File) -> String? {
        let text = String(decoding: content.bytes, as: UTF8.self)
        switch file.content {
        case .hostKeys: return nil
        case .certificate: return objectionToCertificate(text)
        case .privateKey, .identity: return objectionToKey(text, content, file)
        case .certificateAndKey:
            return objectionToCertificate(text)
                ?? objectionToKey(text, content, file)
                .map { "\($0) (there is no client_key)" }
        }
    }

    private func objectionToCertificate(_ text: String) -> String? {
        let isPEM =
            text.contains("-----BEGIN CERTIFICATE-----")
            || text.contains("-----BEGIN TRUSTED CERTIFICATE-----")
        return isPEM ? nil : "holds no certificate in PEM form"
    }

    private func objectionToKey(_ text: String, _ content: FileContent, _ file: File) -> String? {
        guard text.contains("PRIVATE KEY-----") else { return "holds no private key in PEM form" }
        if text.contains("-----BEGIN ENCRYPTED PRIVATE KEY-----") || text.contains("Proc-Type: 4,ENCRYPTED"),
            file.content != .identity
        {
            return "has a passphrase, which nobody is there to type; take it off with: openssl pkey"
        }
        let protected = environment["CREDENTIALS_DIRECTORY"].flatMap { FilePath($0) }
        return SecretFile.objection(to: content, file.path, protected: protected)
    }

    // MARK: The rest

    private func oldVersion(_ origin: OriginSettings) -> Finding? {
        let oldest = origin.trust.tlsMinimum
        guard oldest < .tls12 else { return nil }
        return Finding(
            .warning,
            "tls_min of [origin \(origin.name)]: TLS \(oldest.rawValue) can be broken by whoever stands in the way; "
                + "it is worth as much as clear text to them")
    }

    private func agent(_ origin: OriginSettings) -> Finding? {
        guard origin.trust.usesAgent, environment["SSH_AUTH_SOCK"]?.isEmpty ?? true else { return nil }
        return Finding(
            .warning,
            "agent of [origin \(origin.name)]: SSH_AUTH_SOCK is not set, so there is no agent to ask")
    }

    /// Routes to SFTP servers of whom no host key can be known.
    private func strangers() -> [Finding] {
        settings.routes.compactMap { route in
            guard route.url.origin.scheme == .sftp else { return nil }
            let trust = settings.settings(for: route.url.origin).trust
            let own = settings.places.state.appending("known_hosts")
            let files = trust.knownHosts.map { [$0] } ?? [own, Self.knownHostsOfTheSystem]
            guard trust.hostKeys.isEmpty, !files.contains(where: { (try? FileContent(of: $0)) != nil }) else {
                return nil
            }
            let host = route.url.origin.host
            return Finding(
                .warning,
                "[route \(route.name)]: no host key of '\(host)' is known; ask its operator for the fingerprint "
                    + "and write it as host_key, or put its line into '\(files[0])'")
        }
    }

    private static let knownHostsOfTheSystem = FilePath.root.appending("etc/ssh/ssh_known_hosts")
}
