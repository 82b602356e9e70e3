internal import CCurl
internal import Glibc
internal import TransferModel

/// The data connection of a ``StoreDialogue``. Used on the lane's queue; never blocks.
final class DataSocket {
    enum Sent {
        case all
        /// The connection takes no more now.
        case full
        /// The body has no more now.
        case nothing
        /// The body failed, as the transfer's answer says.
        case aborted
        case broken
    }

    let descriptor: Int32
    private let plain: PlainWire
    private let lane: LaneControl
    private var isOpen = true
    /// Taken from the body and not sent yet.
    private var pending: [UInt8] = []

    /// Begins to connect to `port` of the machine at the other end of `socket`; nil when that cannot be.
    init?(beside socket: Int32, port: UInt16, of lane: LaneControl) {
        var address = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        let hasAddress = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                getpeername(socket, $0, &length) == 0
            }
        }
        let family = Int32(address.ss_family)
        guard hasAddress, family == AF_INET || family == AF_INET6,
            let descriptor = lane.openDataSocket(family: family)
        else { return nil }
        self.descriptor = descriptor
        plain = PlainWire(descriptor)
        self.lane = lane
        // The port stands at the same place in addresses of both families.
        withUnsafeMutableBytes(of: &address) { bytes in
            bytes.storeBytes(
                of: port.bigEndian, toByteOffset: MemoryLayout<sockaddr_in>.offset(of: \.sin_port) ?? 2,
                as: UInt16.self)
        }
        let result = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                Glibc.connect(descriptor, $0, length)
            }
        }
        progress = result == 0 ? .connected : errno == EINPROGRESS ? .connecting : .failed
    }

    private enum Progress {
        case connecting, connected, failed
    }

    private var progress = Progress.connecting

    /// Whether the connection stands; nil when it never will.
    func connected() -> Bool? {
        if progress == .connecting { look() }
        switch progress {
        case .connected: return true
        case .connecting: return false
        case .failed: return nil
        }
    }

    private func look() {
        var state = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        guard poll(&state, 1, 0) > 0 else { return }
        var error: Int32 = 0
        var length = socklen_t(MemoryLayout<Int32>.size)
        getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &error, &length)
        progress = error == 0 ? .connected : .failed
    }

    // MARK: TLS

    /// What is spoken on it; begins with ``greet()``.
    private var tls: DataTLS?

    /// It is to go on with the session of `control`; false where that cannot be.
    func secure(beside control: OpaquePointer) -> Bool {
        tls = DataTLS(beside: control, over: descriptor)
        return tls != nil
    }

    /// Goes on with the TLS handshake, if there is one to be made.
    func greet() -> DataTLS.Greeting { tls?.greet() ?? .done }

    // MARK: The body

    /// Sends what the connection takes of a body of `length` bytes in all.
    func send(_ length: Int64, from transfer: Transfer) -> Sent {
        while true {
            if let stop = flush(transfer) { return stop }
            let left = Int(length - transfer.answer.sent)
            guard left > 0 else { return .all }
            var count = 0
            pending = [UInt8](unsafeUninitializedCapacity: min(left, Int(StoreOrder.longest))) {
                space, filled in
                count = transfer.read(into: UnsafeMutableRawBufferPointer(space))
                filled = count <= space.count ? max(0, count) : 0
            }
            switch count {
            case 0: return .all
            case Int(CURL_READFUNC_PAUSE): return .nothing
            case Int(CURL_READFUNC_ABORT): return .aborted
            default: continue
            }
        }
    }

    private func flush(_ transfer: Transfer) -> Sent? {
        while !pending.isEmpty {
            switch pending.withUnsafeBytes({ tls?.send($0) ?? plain.send($0) }) {
            case .bytes(let count):
                transfer.handedOver(count)
                if count == pending.count { pending = [] } else { pending.removeFirst(count) }
            case .nothing: return .full
            case .over: return .broken
            }
        }
        return nil
    }

    /// Says that the body ends here; what comes of it is read nowhere. False when it can't be said.
    func end() -> Bool {
        guard let tls else {
            close()
            return true
        }
        return tls.end() && shutdown(descriptor, Int32(SHUT_WR)) == 0
    }

    func close() {
        guard isOpen else { return }
        isOpen = false
        tls = nil
        _ = lane.closeSocket(descriptor)
    }

    deinit { close() }
}
