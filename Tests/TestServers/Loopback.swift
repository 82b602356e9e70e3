import CLinux
import Glibc

/// Ports of 127.0.0.1.
public enum Loopback {
    /// A port that nobody listens at now.
    ///
    /// Below the kernel's range for outgoing connections, so that no client of a test takes it in between.
    public static func freePort() throws -> UInt16 {
        for _ in 0..<200 {
            let port = UInt16.random(in: 15_000..<32_000)
            let fd = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
            defer { close(fd) }
            if withAddress(port, { bind(fd, $0, $1) }) == 0 { return port }
        }
        throw TestServerError("no free port on 127.0.0.1 in 200 tries")
    }

    /// Whether a connection to the port is taken now, on 127.0.0.1 or ::1.
    public static func answers(_ port: UInt16) -> Bool { answersIPv4(port) || answersIPv6(port) }

    private static func answersIPv6(_ port: UInt16) -> Bool {
        let fd = socket(AF_INET6, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        defer { close(fd) }
        var address = sockaddr_in6()
        address.sin6_family = sa_family_t(AF_INET6)
        address.sin6_port = port.bigEndian
        inet_pton(AF_INET6, "::1", &address.sin6_addr)
        return withUnsafePointer(to: address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(fd, $0, socklen_t(MemoryLayout<sockaddr_in6>.size)) == 0
            }
        }
    }

    private static func answersIPv4(_ port: UInt16) -> Bool {
        let fd = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        defer { close(fd) }
        return withAddress(port, { connect(fd, $0, $1) }) == 0
    }

    /// The next connection of a listening socket, not inherited by programs; negative with `errno` when there is none.
    static func accept(_ listening: Int32) -> Int32 {
        let fd = Glibc.accept(listening, nil, nil)
        if fd >= 0 { _ = transferd_fcntl(fd, F_SETFD, FD_CLOEXEC) }
        return fd
    }

    /// Calls `body` with the address 127.0.0.1 and `port`, as `bind` and `connect` take it.
    static func withAddress<Result>(
        _ port: UInt16, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Result
    ) -> Result {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        return withUnsafePointer(to: address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                body($0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
    }
}
