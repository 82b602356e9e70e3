import Dispatch
import Glibc
import Synchronization

/// A TCP relay before a real server that limits the rate of each direction of each connection, delays what passes,
/// and cuts connections on demand.
public final class ScriptedRelay: Sendable {
    private let listener: ScriptedListener
    private let counts = RelayCounts()

    /// Relays to `target` at once.
    ///
    /// - Parameters:
    ///   - bytesPerSecond: for each connection and direction.
    ///   - delay: passes before each piece is handed on: a pipe of one piece, not a model of a long path.
    public init(to target: UInt16, bytesPerSecond: Int? = nil, delay: Duration = .zero) throws {
        listener = try ScriptedListener()
        let listener = listener
        let counts = counts
        listener.start { client, number in
            let fd = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
            guard Loopback.withAddress(target, { connect(fd, $0, $1) }) == 0 else {
                close(fd)
                return
            }
            listener.watch(fd)
            let server = ScriptedStream(fd: fd, listener: listener)
            let pace = Pace(listener: listener, bytesPerSecond: bytesPerSecond, delay: delay)
            pace.join(
                client.fd, server.fd,
                forth: { counts.forth.add($0, ordering: .relaxed) },
                back: { counts.back.add($0, ordering: .relaxed) })
        }
    }

    deinit { listener.stop() }

    public var port: UInt16 { listener.port }
    /// Connections taken so far.
    public var connections: Int { listener.connections }

    /// Bytes taken from clients so far.
    public var bytesForth: Int { counts.forth.load(ordering: .relaxed) }
    /// Bytes taken from the server so far.
    public var bytesBack: Int { counts.back.load(ordering: .relaxed) }

    /// Ends all open connections; new ones are taken.
    public func cutConnections() { listener.cutConnections() }

    /// Refuses new connections and ends the open ones.
    public func stop() { listener.stop() }
}

private final class RelayCounts: Sendable {
    let forth = Atomic<Int>(0)
    let back = Atomic<Int>(0)
}

/// How a relay hands bytes on.
struct Pace: Sendable {
    let listener: ScriptedListener
    let bytesPerSecond: Int?
    let delay: Duration

    /// Carries bytes both ways until both sides have ended.
    func join(
        _ client: Int32, _ server: Int32, forth: @escaping @Sendable (Int) -> Void = { _ in },
        back: @escaping @Sendable (Int) -> Void = { _ in }
    ) {
        let end = DispatchSemaphore(value: 0)
        BlockingThread.start {
            carry(from: server, to: client, counting: back)
            end.signal()
        }
        carry(from: client, to: server, counting: forth)
        end.wait()
    }

    /// Carries bytes until one side ends, and tells the other side of the end.
    func carry(from source: Int32, to target: Int32, counting count: (Int) -> Void) {
        var piece = [UInt8](repeating: 0, count: bytesPerSecond.map { max(1, $0 / 100) } ?? 1 << 16)
        while !listener.isStopped {
            let received = recv(source, &piece, piece.count, 0)
            guard received > 0 else { break }
            count(received)
            if delay > .zero { listener.wait(delay) }
            if let bytesPerSecond { listener.wait(.seconds(Double(received) / Double(bytesPerSecond))) }
            guard sendAll(piece, received, to: target) else { break }
        }
        shutdown(target, Int32(SHUT_WR))
        shutdown(source, Int32(SHUT_RD))
    }

    private func sendAll(_ bytes: [UInt8], _ count: Int, to target: Int32) -> Bool {
        bytes.withUnsafeBytes { raw in
            var offset = 0
            while offset < count {
                let sent = send(
                    target, raw.baseAddress.map { $0 + offset }, count - offset, Int32(MSG_NOSIGNAL))
                guard sent > 0 || errno == EINTR else { return false }
                offset += max(0, sent)
            }
            return true
        }
    }
}
