internal import CCrypto
internal import CCurl
internal import Synchronization

/// Watches the TLS handshakes of a request, of the control as of the data connection, and changes nothing about them.
///
/// OpenSSL calls it, on the lane's queue, as long as a connection lives that it was set on, and holds it for so long.
final class TLSObserver: Sendable {
    /// A handshake that was completed.
    struct Handshake: Hashable, Sendable {
        /// `TLSv1.2`
        let version: String
        let cipher: String
        /// Whether an earlier session was gone on with.
        let isResumed: Bool
    }

    private struct State: Sendable {
        var handshakes: [Handshake] = []
        var certificate: ServerCertificate?
        var objection: String?
    }

    private let state = Mutex(State())

    var handshakes: [Handshake] { state.withLock { $0.handshakes } }
    /// The one that the server showed last, trusted or not.
    var certificate: ServerCertificate? { state.withLock { $0.certificate } }
    /// Why its certificate is not trusted, in OpenSSL's words; nil: nothing was found against it.
    var objection: String? { state.withLock { $0.objection } }

    // MARK: Called by libcurl and OpenSSL

    /// For CURLOPT_SSL_CTX_FUNCTION, with the observer as its data.
    static let prepare: transferd_context_function = { _, tls, context in
        guard let tls, let context else { return CURLE_OK }
        let observer = Unmanaged<TLSObserver>.fromOpaque(context)
        let settings = OpaquePointer(tls)
        // The free function of the index lets go of it.
        guard SSL_CTX_set_ex_data(settings, TLSObserver.index, observer.retain().toOpaque()) == 1 else {
            observer.release()
            return CURLE_OK
        }
        SSL_CTX_set_verify(settings, SSL_CTX_get_verify_mode(settings)) { isTrusted, chain in
            TLSObserver.verified(chain)
            return isTrusted
        }
        SSL_CTX_set_info_callback(settings) { connection, place, _ in
            if place & SSL_CB_HANDSHAKE_DONE != 0 { TLSObserver.completed(connection) }
        }
        return CURLE_OK
    }

    /// Where a TLS context keeps its observer.
    private static let index = CRYPTO_get_ex_new_index(CRYPTO_EX_INDEX_SSL_CTX, 0, nil, nil, nil) {
        _, observer, _, _, _, _ in
        if let observer { Unmanaged<TLSObserver>.fromOpaque(observer).release() }
    }

    private static func observer(of connection: OpaquePointer?) -> TLSObserver? {
        guard let connection, let settings = SSL_get_SSL_CTX(connection),
            let found = SSL_CTX_get_ex_data(settings, index)
        else { return nil }
        return Unmanaged<TLSObserver>.fromOpaque(found).takeUnretainedValue()
    }

    private static func verified(_ chain: OpaquePointer?) {
        let connection = X509_STORE_CTX_get_ex_data(chain, SSL_get_ex_data_X509_STORE_CTX_idx())
        guard let observer = observer(of: connection.map { OpaquePointer($0) }) else { return }
        let code = X509_STORE_CTX_get_error(chain)
        let certificate = X509_STORE_CTX_get0_cert(chain).flatMap { ServerCertificate($0) }
        let objection = code == X509_V_OK ? nil : String(cString: X509_verify_cert_error_string(Int(code)))
        observer.state.withLock { state in
            state.certificate = certificate ?? state.certificate
            state.objection = objection ?? state.objection
        }
    }

    private static func completed(_ connection: OpaquePointer?) {
        guard let observer = observer(of: connection) else { return }
        let handshake = Handshake(
            version: text(SSL_get_version(connection)),
            cipher: text(SSL_CIPHER_get_name(SSL_get_current_cipher(connection))),
            isResumed: SSL_session_reused(connection) == 1)
        let certificate = SSL_get0_peer_certificate(connection).flatMap { ServerCertificate($0) }
        observer.state.withLock { state in
            // TLS 1.3 says so once more when the server sends a ticket.
            if state.handshakes.last != handshake || !handshake.version.hasSuffix("1.3") {
                state.handshakes.append(handshake)
            }
            state.certificate = certificate ?? state.certificate
        }
    }

    private static func text(_ text: UnsafePointer<CChar>?) -> String {
        text.map { ForeignText.clean(String(cString: $0).utf8) } ?? "unknown"
    }
}
