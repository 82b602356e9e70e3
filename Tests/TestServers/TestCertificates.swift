/// A certificate authority of a test and a certificate by it for `localhost` and 127.0.0.1.
public struct TestCertificates: Sendable {
    /// The authority's certificate (PEM): what a client trusts.
    public let authority: String
    /// The server's certificate (PEM).
    public let certificate: String
    /// The server's private key (PEM, no passphrase).
    public let key: String

    /// Makes them by openssl in `tls/` of the directory, once; a second call finds the first one's.
    public static func make(in directory: TemporaryDirectory) async throws -> TestCertificates {
        let place = try directory.makeDirectory("tls")
        let made = TestCertificates(
            authority: "\(place)/ca.pem", certificate: "\(place)/server.pem", key: "\(place)/server.key")
        guard !TestFile.exists(made.certificate) else { return made }
        try await openssl([
            "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "30",
            "-subj", "/CN=transferd test authority", "-keyout", "\(place)/ca.key", "-out", made.authority,
        ])
        try await openssl([
            "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "30", "-subj", "/CN=localhost",
            "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1", "-addext",
            "basicConstraints=critical,CA:FALSE",
            "-CA", made.authority, "-CAkey", "\(place)/ca.key", "-keyout", made.key, "-out", made.certificate,
        ])
        return made
    }

    /// A certificate that another authority made for the same names, and its key: in `name/` of the directory.
    public static func makeStrange(in directory: TemporaryDirectory) async throws -> TestCertificates {
        let place = try TemporaryDirectory()
        let made = try await make(in: place)
        let kept = try directory.makeDirectory("strange")
        let files = [made.authority, made.certificate, made.key]
        let copied = try await ChildProcess.run(["cp"] + files + [kept])
        guard copied.succeeded else { throw TestServerError("cp: \(copied.errorText)") }
        return TestCertificates(
            authority: "\(kept)/ca.pem", certificate: "\(kept)/server.pem", key: "\(kept)/server.key")
    }

    /// `sha256//BASE64` of the certificate's public key, as curl pins it.
    public var pin: String {
        get async throws {
            let made = try await ChildProcess.run([
                "sh", "-c",
                "openssl x509 -in \(certificate) -pubkey -noout | openssl pkey -pubin -outform der"
                    + " | openssl dgst -sha256 -binary | openssl base64",
            ])
            guard made.succeeded else { throw TestServerError("a pin: \(made.errorText)") }
            return "sha256//" + made.text.filter { $0 != "\n" }
        }
    }

    private static func openssl(_ arguments: [String]) async throws {
        let done = try await ChildProcess.run(["openssl"] + arguments)
        guard done.succeeded else { throw TestServerError("openssl \(arguments[0]): \(done.errorText)") }
    }
}
