import Glibc

/// A connection to a port of 127.0.0.1 that says nothing until it is let go.
public final class IdleConnection: Sendable {
    private let descriptor: Int32

    public init(to port: UInt16) throws {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard Loopback.withAddress(port, { connect(descriptor, $0, $1) }) == 0 else {
            throw TestServerError.system(call: "connect")
        }
    }

    deinit { close(descriptor) }
}
