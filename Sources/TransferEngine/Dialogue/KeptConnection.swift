internal import CCrypto
internal import Glibc

/// A connection as libcurl leaves it between two requests: FTP's control connection, or one to a web server.
struct KeptConnection {
    let socket: Int32
    /// OpenSSL's part of it, where it is secured and in order.
    let tls: OpaquePointer?

    /// What has come while nothing was asked.
    enum Unasked {
        case nothing
        /// The connection's end, the server's or our own.
        case end
        /// Bytes that would be taken for the reply to whatever is asked next.
        case words
    }

    /// Whether a data connection beside it can be made here.
    var canCarryData: Bool { tls.map(DataTLS.isPossible) ?? true }

    /// Not for libcurl's use while it is.
    var wire: any Wire {
        if let tls { SecureWire(tls, over: socket) } else { PlainWire(socket) }
    }

    var isSpoilt: Bool { if case .words = unasked { true } else { false } }

    /// Looks, and leaves what is there where it is. TLS has words of its own, such as the session tickets of TLS 1.3, which
    /// are no reply.
    var unasked: Unasked {
        if let tls, SSL_pending(tls) > 0 { return .words }
        let found = unaskedBytes
        guard case .words = found, let tls else { return found }
        let wire = SecureWire(tls, over: socket)
        defer { wire.giveBack() }
        switch wire.peek() {
        case .bytes: return .words
        case .nothing: return .nothing
        case .over: return .end
        }
    }

    private var unaskedBytes: Unasked {
        var byte: UInt8 = 0
        let count = recv(socket, &byte, 1, Int32(MSG_PEEK) | Int32(MSG_DONTWAIT))
        guard count > 0 else { return count < 0 && errno == EAGAIN ? .nothing : .end }
        var state = pollfd(fd: socket, events: Int16(POLLIN), revents: 0)
        poll(&state, 1, 0)
        // Both directions are shut down: nobody can ask anything here any more.
        return state.revents & Int16(POLLHUP) == 0 ? .words : .end
    }
}
