import Glibc

/// The port of one passive data connection; closed with the last reference.
final class PassiveListener {
    let port: UInt16
    private let fd: Int32

    init?() {
        let socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard Loopback.withAddress(0, { bind(socket, $0, $1) }) == 0, listen(socket, 4) == 0 else {
            close(socket)
            return nil
        }
        fd = socket
        var address = sockaddr_in()
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { _ = getsockname(socket, $0, &length) }
        }
        port = UInt16(bigEndian: address.sin_port)
    }

    deinit { close(fd) }

    /// The connection that comes within 10 s, while the server runs.
    func accept(until listener: ScriptedListener) -> Int32? {
        for _ in 0..<500 where !listener.isStopped {
            var waited = pollfd(fd: fd, events: Int16(POLLIN), revents: 0)
            guard poll(&waited, 1, 20) > 0 else { continue }
            let accepted = Loopback.accept(fd)
            return accepted >= 0 ? accepted : nil
        }
        return nil
    }
}
