internal import CCrypto

/// TLS that libcurl has made and checked, spoken over its socket while libcurl does not use it.
///
/// libcurl gives OpenSSL a way of its own to the socket, which works only inside of libcurl: another takes its place
/// until ``giveBack()``. OpenSSL keeps what it has read, so that nothing is lost between the two.
final class SecureWire: Wire {
    private let connection: OpaquePointer
    private let ways: (reading: OpaquePointer, writing: OpaquePointer)
    private var isBorrowed = true

    /// `ahead`: how many bytes are taken from the socket together, many records of a long body; zero: one record, in two
    /// pieces. What was taken and not asked for stays with OpenSSL.
    init(_ connection: OpaquePointer, over socket: Int32, ahead: Int = 0) {
        guard let reading = SSL_get_rbio(connection), let writing = SSL_get_wbio(connection),
            let way = BIO_new_socket(socket, 0)
        else { preconditionFailure("memory for a way to a socket") }
        self.connection = connection
        ways = (reading, writing)
        // Each place of a connection keeps what is in it; ours are kept for libcurl.
        BIO_up_ref(reading)
        BIO_up_ref(writing)
        BIO_up_ref(way)
        SSL_set0_rbio(connection, way)
        SSL_set0_wbio(connection, way)
        guard ahead > 0 else { return }
        SSL_set_read_ahead(connection, 1)
        SSL_set_default_read_buffer_len(connection, ahead)
    }

    func giveBack() {
        guard isBorrowed else { return }
        isBorrowed = false
        SSL_set0_rbio(connection, ways.reading)
        SSL_set0_wbio(connection, ways.writing)
    }

    func send(_ bytes: UnsafeRawBufferPointer) -> Passage { TLS.send(bytes, over: connection) }

    func receive(into space: UnsafeMutableRawBufferPointer) -> Passage {
        TLS.moved(connection) { SSL_read(connection, space.baseAddress, Int32(clamping: space.count)) }
    }

    /// What ``receive(into:)`` would do with one byte, which is left there.
    func peek() -> Passage {
        var byte: UInt8 = 0
        return TLS.moved(connection) { SSL_peek(connection, &byte, 1) }
    }
}

/// What OpenSSL says of an operation on a connection (SSL_get_error(3)).
enum TLS {
    static func send(_ bytes: UnsafeRawBufferPointer, over connection: OpaquePointer) -> Passage {
        moved(connection) { SSL_write(connection, bytes.baseAddress, Int32(clamping: bytes.count)) }
    }

    static func moved(_ connection: OpaquePointer, _ move: () -> Int32) -> Passage {
        // What others have left there would be taken for the operation's own.
        ERR_clear_error()
        let count = move()
        if count > 0 { return .bytes(Int(count)) }
        switch SSL_get_error(connection, count) {
        case SSL_ERROR_WANT_READ, SSL_ERROR_WANT_WRITE: return .nothing
        default: return .over
        }
    }
}
