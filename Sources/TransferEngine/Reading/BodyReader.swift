internal import CCurl
internal import Glibc
internal import TransferModel

/// Reads the rest of a body from its connection straight to where its sink wants it, while libcurl is paused.
///
/// libcurl reads into a buffer of its own first, hands that on in pieces of 16 KiB, and over TLS looks at the socket for each
/// of them. It does not learn of what is read here, so that the connection ends with the body, with FTP also the control
/// connection: what the server says there behind the data is read here too. Used on the lane's queue; never blocks.
final class BodyReader {
    enum Event {
        case moved
        /// The connection has nothing now.
        case nothing
        /// The sink has no room now.
        case waits
        /// With libcurl's code, and its words where they need a number.
        case ended(CURLcode, String? = nil)
    }

    private let wire: any Wire
    private let data: Int32
    private let transfer: Transfer
    private let sink: any BodySink
    /// Bytes that are still to come, as announced.
    private var rest: Int64
    /// FTP: where the server says that it has sent everything.
    private let control: ControlChannel?
    /// Whether the data has ended and the server's word for it is waited for.
    private var isConfirming = false

    /// Eight of TLS's largest records (RFC 8446, section 5.1).
    private static let ahead = 131_072

    /// - Parameters:
    ///   - rest: bytes that are still to come.
    ///   - tls: OpenSSL's part of the connection, where it is secured.
    ///   - control: FTP: the socket of the control connection.
    init(
        _ transfer: Transfer, into sink: any BodySink, rest: Int64, from socket: Int32, tls: OpaquePointer?,
        control: Int32?
    ) {
        self.transfer = transfer
        self.sink = sink
        self.rest = rest
        data = socket
        wire = tls.map { SecureWire($0, over: socket, ahead: Self.ahead) } ?? PlainWire(socket)
        self.control = control.map { ControlChannel(transfer, over: KeptConnection(socket: $0, tls: nil)) }
    }

    /// The socket that it waits for.
    var socket: Int32 { isConfirming ? control?.socket ?? data : data }

    /// libcurl can have the connection back, to close it; once.
    func close() { wire.giveBack() }

    /// Reads one piece.
    func proceed() -> Event {
        if isConfirming { return confirm() }
        switch sink.space() {
        case .wait: return .waits
        case .fail(let failure): return fail(failure)
        case .bytes(let space):
            let wanted = Int(min(Int64(space.count), rest))
            switch wire.receive(into: UnsafeMutableRawBufferPointer(rebasing: space[..<wanted])) {
            case .bytes(let count): return take(count)
            case .nothing: return .nothing
            case .over: return dataEnded()
            }
        }
    }

    /// Whether the connection has something within so many milliseconds.
    func wait(for milliseconds: Int32) -> Bool {
        var entry = pollfd(fd: socket, events: Int16(POLLIN), revents: 0)
        return poll(&entry, 1, milliseconds) > 0
    }

    private func take(_ count: Int) -> Event {
        rest -= Int64(count)
        switch sink.filled(count) {
        case .taken:
            transfer.received(count)
            return rest > 0 ? .moved : dataEnded()
        case .enough:
            transfer.answer.hasEnough = true
            return .ended(CURLE_WRITE_ERROR)
        case .fail(let failure): return fail(failure)
        case .wait: preconditionFailure("room that was given can be filled")
        }
    }

    private func fail(_ failure: Failure) -> Event {
        transfer.answer.bodyFailure = failure
        return .ended(CURLE_WRITE_ERROR)
    }

    private func dataEnded() -> Event {
        guard control == nil else {
            // More than was announced is not waited for.
            shutdown(data, Int32(SHUT_RDWR))
            isConfirming = true
            return .moved
        }
        return measured
    }

    private func confirm() -> Event {
        switch control?.next() {
        case .nothing: return .nothing
        case .end(let code): return .ended(code)
        case nil: return .ended(CURLE_RECV_ERROR)
        case .reply(let code):
            guard [226, 250].contains(code) else {
                return .ended(CURLE_PARTIAL_FILE, "server did not report OK, got \(code)")
            }
            return measured
        }
    }

    /// Nothing more comes.
    private var measured: Event {
        guard rest > 0 else { return .ended(CURLE_OK) }
        return .ended(CURLE_PARTIAL_FILE, "transfer closed with \(rest) bytes remaining to read")
    }
}
