internal import CTLS
import Glibc
import Synchronization

/// The server's side of TLS for scripted servers.
public final class ScriptedTLS: Sendable {
    // An SSL_CTX may be used by many threads.
    private let context: Mutex<UInt>

    /// - Parameter newest: the version that is spoken at most, 0 to 3 of TLS 1.
    public init(_ certificates: TestCertificates, newest: Int = 2) throws {
        // OpenSSL writes to sockets without MSG_NOSIGNAL.
        signal(SIGPIPE, SIG_IGN)
        guard let made = SSL_CTX_new(TLS_server_method()),
            SSL_CTX_use_certificate_chain_file(made, certificates.certificate) == 1,
            SSL_CTX_use_PrivateKey_file(made, certificates.key, SSL_FILETYPE_PEM) == 1
        else { throw TestServerError("TLS by \(certificates.certificate)") }
        _ = transferd_tls_set_newest(made, TLS1_VERSION + Int32(newest))
        if newest < 2 { SSL_CTX_set_cipher_list(made, "ALL:@SECLEVEL=0") }
        _ = transferd_tls_set_session_id(made)
        context = Mutex(UInt(bitPattern: made))
    }

    deinit { SSL_CTX_free(context.withLock { OpaquePointer(bitPattern: $0) }) }

    /// Does the handshake on a connection; nil when it fails.
    func accept(_ fd: Int32) -> TLSConnection? {
        let made = context.withLock {
            OpaquePointer(bitPattern: $0).flatMap { UInt(bitPattern: SSL_new($0)) }
        }
        guard let made, let ssl = OpaquePointer(bitPattern: made) else { return nil }
        let connection = TLSConnection(ssl)
        SSL_set_fd(ssl, fd)
        return SSL_accept(ssl) == 1 ? connection : nil
    }
}

/// One connection over TLS, used by one thread. Its descriptor is another's to close.
final class TLSConnection {
    private let ssl: OpaquePointer

    init(_ ssl: OpaquePointer) { self.ssl = ssl }

    deinit { SSL_free(ssl) }

    /// Whether the client resumed a session.
    var isResumed: Bool { SSL_session_reused(ssl) == 1 }

    /// As recv(2); 0 at the end, however it came.
    func read(into buffer: inout [UInt8]) -> Int { max(0, Int(SSL_read(ssl, &buffer, Int32(buffer.count)))) }

    /// As send(2).
    func write(_ bytes: UnsafeRawBufferPointer) -> Int {
        Int(SSL_write(ssl, bytes.baseAddress, Int32(bytes.count)))
    }

    /// Says that nothing more comes (close_notify).
    func finish() { SSL_shutdown(ssl) }
}
