import Dispatch
import Glibc
import Synchronization

/// A TCP listener on a port of 127.0.0.1: each connection is served by blocking code on a queue of its own.
final class ScriptedListener: Sendable {
    let port: UInt16
    private let fd: Int32
    private let state = Mutex(State())

    private struct State {
        var isStopped = false
        var connections = 0
        var open: Set<Int32> = []
    }

    /// Listens at a free port, or at `port`.
    init(port: UInt16? = nil) throws {
        var tries = port == nil ? 20 : 1
        while true {
            let number = try port ?? Loopback.freePort()
            if let socket = Self.listen(at: number) {
                self.port = number
                fd = socket
                return
            }
            tries -= 1
            // Another test may have taken the port since it was found to be free.
            guard tries > 0 else { throw TestServerError.system(call: "bind", path: "port \(number)") }
        }
    }

    /// nil, with `errno`, where the port is taken.
    private static func listen(at port: UInt16) -> Int32? {
        let fd = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        var yes: Int32 = 1
        setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<Int32>.size))
        guard Loopback.withAddress(port, { bind(fd, $0, $1) }) == 0, Glibc.listen(fd, 512) == 0 else {
            let reason = errno
            close(fd)
            errno = reason
            return nil
        }
        return fd
    }

    deinit { close(fd) }

    /// Starts taking connections; `serve` gets each one and its number, counted from 0.
    func start(_ serve: @escaping @Sendable (inout ScriptedStream, Int) -> Void) {
        BlockingThread.start { [self] in
            while let connection = next() {
                let number = connection.number
                let fd = connection.fd
                BlockingThread.start { [self] in
                    var stream = ScriptedStream(fd: fd, listener: self)
                    serve(&stream, number)
                }
            }
        }
    }

    /// Connections taken so far.
    var connections: Int { state.withLock { $0.connections } }

    /// Connections open now.
    var openConnections: Int { state.withLock { $0.open.count } }

    var isStopped: Bool { state.withLock { $0.isStopped } }

    /// Refuses new connections and ends the open ones.
    func stop() {
        state.withLock { $0.isStopped = true }
        shutdown(fd, Int32(SHUT_RDWR))
        cutConnections()
    }

    /// Ends all open connections; new ones are taken.
    func cutConnections() {
        state.withLock { state in
            for fd in state.open { shutdown(fd, Int32(SHUT_RDWR)) }
        }
    }

    private func next() -> (fd: Int32, number: Int)? {
        while true {
            let accepted = Loopback.accept(fd)
            if accepted < 0 && errno == EINTR { continue }
            guard accepted >= 0, let number = adopt(accepted) else {
                if accepted >= 0 { close(accepted) }
                return nil
            }
            return (accepted, number)
        }
    }

    private func adopt(_ accepted: Int32) -> Int? {
        state.withLock { state in
            guard !state.isStopped else { return nil }
            state.open.insert(accepted)
            defer { state.connections += 1 }
            return state.connections
        }
    }

    /// Has a stream's descriptor ended by `stop` as well.
    func watch(_ fd: Int32) {
        state.withLock { state in
            state.open.insert(fd)
            if state.isStopped { shutdown(fd, Int32(SHUT_RDWR)) }
        }
    }

    /// Closes a stream's descriptor; under the lock, so that `stop` never shuts down a number used again.
    func release(_ fd: Int32) {
        state.withLock { state in
            state.open.remove(fd)
            close(fd)
        }
    }

    /// Lets `duration` pass, less when the listener stops.
    func wait(_ duration: Duration) {
        let deadline = ContinuousClock.now + duration
        while ContinuousClock.now < deadline && !isStopped {
            usleep(UInt32(max(1, min(10_000, (deadline - ContinuousClock.now).seconds * 1_000_000))))
        }
    }
}
