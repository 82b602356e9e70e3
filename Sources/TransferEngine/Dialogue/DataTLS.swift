internal import CCrypto
internal import CCurl

/// TLS of a data connection that goes on with the session of its control connection (RFC 4217, section 10).
///
/// Who can go on with it is who was checked when it was made; anybody else is not spoken to.
final class DataTLS {
    /// How far the handshake is.
    enum Greeting {
        case done
        /// Waits for the socket, with these of libcurl's CURL_POLL_ bits.
        case waits(Int32)
        /// It failed, or the server wants a session of its own.
        case failed
    }

    private let connection: OpaquePointer
    private var isDone = false

    /// nil where the session cannot be gone on with: TLS 1.3 has one for each connection.
    init?(beside control: OpaquePointer, over socket: Int32) {
        guard Self.isPossible(beside: control), let settings = SSL_get_SSL_CTX(control),
            let session = SSL_get_session(control), let connection = SSL_new(settings)
        else { return nil }
        self.connection = connection
        if let name = SSL_get_servername(control, TLSEXT_NAMETYPE_host_name) {
            _ = transferd_tls_set_name(connection, name)
        }
        SSL_set_session(connection, session)
        SSL_set_fd(connection, socket)
        SSL_set_connect_state(connection)
        transferd_tls_write_parts(connection)
    }

    deinit { SSL_free(connection) }

    static func isPossible(beside control: OpaquePointer) -> Bool {
        SSL_version(control) < TLS1_3_VERSION
            && SSL_get_session(control).map { SSL_SESSION_is_resumable($0) == 1 } ?? false
    }

    /// Goes on with the handshake as far as it can.
    func greet() -> Greeting {
        guard !isDone else { return .done }
        ERR_clear_error()
        let result = SSL_do_handshake(connection)
        guard result != 1 else {
            isDone = SSL_session_reused(connection) == 1
            return isDone ? .done : .failed
        }
        switch SSL_get_error(connection, result) {
        case SSL_ERROR_WANT_READ: return .waits(CURL_POLL_IN)
        case SSL_ERROR_WANT_WRITE: return .waits(CURL_POLL_OUT)
        default: return .failed
        }
    }

    func send(_ bytes: UnsafeRawBufferPointer) -> Passage { TLS.send(bytes, over: connection) }

    /// Tells the other side that the body ends here; false when that can't be said.
    func end() -> Bool {
        ERR_clear_error()
        return SSL_shutdown(connection) >= 0
    }
}
