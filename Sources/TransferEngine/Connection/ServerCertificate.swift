internal import CCrypto
internal import TransferModel

/// What a person has to know of a server's certificate to decide whether it is the right one.
struct ServerCertificate: Hashable, Sendable {
    /// Names as OpenSSL writes them on one line (RFC 2253).
    let subject: String
    let issuer: String
    /// The hosts that it is for; nil when it does not say.
    let hosts: String?
    let expires: Timestamp?
    /// SHA-256 of the whole certificate, `AB:CD:…`.
    let fingerprint: String
    /// `sha256//BASE64` of the public key, as `pinned_key` takes it.
    let keyPin: String
    let pem: String

    /// Copies what it needs of an X509; nil when it cannot be read.
    init?(_ certificate: OpaquePointer) {
        guard let der = Self.der({ i2d_X509(certificate, $0) }),
            let key = Self.der({ i2d_X509_PUBKEY(X509_get_X509_PUBKEY(certificate), $0) })
        else { return nil }
        subject = Self.name(X509_get_subject_name(certificate))
        issuer = Self.name(X509_get_issuer_name(certificate))
        hosts = Self.hosts(certificate)
        expires = Self.time(X509_get0_notAfter(certificate))
        fingerprint = Self.digest(der).map(Self.hexadecimal).joined(separator: ":")
        keyPin = "sha256//" + Self.base64(Self.digest(key))
        pem = Self.pem(der)
    }

    private static func der(
        _ write: (UnsafeMutablePointer<UnsafeMutablePointer<UInt8>?>?) -> Int32
    ) -> [UInt8]? {
        var bytes: UnsafeMutablePointer<UInt8>?
        let count = write(&bytes)
        guard count > 0, let bytes else { return nil }
        defer { CRYPTO_free(bytes, nil, 0) }
        return Array(UnsafeBufferPointer(start: bytes, count: Int(count)))
    }

    private static func digest(_ bytes: [UInt8]) -> [UInt8] {
        var digest = [UInt8](repeating: 0, count: 32)
        var count: UInt32 = 0
        EVP_Digest(bytes, bytes.count, &digest, &count, EVP_sha256(), nil)
        return digest
    }

    private static func hexadecimal(_ byte: UInt8) -> String {
        (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
    }

    private static func base64(_ bytes: [UInt8]) -> String {
        var text = [UInt8](repeating: 0, count: (bytes.count + 2) / 3 * 4 + 1)
        let count = EVP_EncodeBlock(&text, bytes, Int32(bytes.count))
        return String(decoding: text.prefix(Int(count)), as: UTF8.self)
    }

    private static func pem(_ der: [UInt8]) -> String {
        let text = Array(base64(der).utf8)
        let lines = stride(from: 0, to: text.count, by: 64).map {
            String(decoding: text[$0..<min($0 + 64, text.count)], as: UTF8.self)
        }
        return (["-----BEGIN CERTIFICATE-----"] + lines + ["-----END CERTIFICATE-----"]).joined(
            separator: "\n")
    }

    private static func name(_ name: OpaquePointer?) -> String {
        printed { X509_NAME_print_ex($0, name, 0, transferd_name_format) } ?? "unknown"
    }

    /// The subject's alternative names: `DNS:files.example, IP Address:192.0.2.1`.
    private static func hosts(_ certificate: OpaquePointer) -> String? {
        let place = X509_get_ext_by_NID(certificate, NID_subject_alt_name, -1)
        guard place >= 0, let names = X509_get_ext(certificate, place) else { return nil }
        return printed { X509V3_EXT_print($0, names, 0, 0) }
    }

    /// What OpenSSL prints, made safe.
    private static func printed(_ print: (OpaquePointer) -> Int32) -> String? {
        guard let output = BIO_new(BIO_s_mem()) else { return nil }
        defer { BIO_free(output) }
        guard print(output) >= 0 else { return nil }
        var text = [UInt8](repeating: 0, count: ForeignText.longest + 1)
        let count = BIO_read(output, &text, Int32(text.count))
        return count > 0 ? ForeignText.clean(text.prefix(Int(count))) : nil
    }

    private static func time(_ time: UnsafePointer<ASN1_TIME>?) -> Timestamp? {
        var fields = tm()
        guard let time, ASN1_TIME_to_tm(time, &fields) == 1 else { return nil }
        return CalendarTime(
            year: Int64(fields.tm_year) + 1900, month: Int64(fields.tm_mon) + 1, day: Int64(fields.tm_mday),
            hour: Int64(fields.tm_hour), minute: Int64(fields.tm_min), second: Int64(fields.tm_sec)
        ).timestamp
    }
}
