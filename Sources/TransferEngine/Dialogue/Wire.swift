internal import CCurl
internal import Glibc

/// How bytes go over a control connection; never blocks. Used on the lane's queue.
protocol Wire: AnyObject {
    func send(_ bytes: UnsafeRawBufferPointer) -> Passage
    func receive(into space: UnsafeMutableRawBufferPointer) -> Passage
    /// Before libcurl comes by the connection again; once.
    func giveBack()
}

/// What became of bytes that were to go over a connection.
enum Passage {
    /// So many of them, at least one.
    case bytes(Int)
    /// None now.
    case nothing
    /// None any more: the connection has ended, or is broken.
    case over
}

/// As they are (RFC 959).
final class PlainWire: Wire {
    private let socket: Int32

    init(_ socket: Int32) { self.socket = socket }

    func send(_ bytes: UnsafeRawBufferPointer) -> Passage {
        moved {
            Glibc.send(socket, bytes.baseAddress, bytes.count, Int32(MSG_DONTWAIT) | Int32(MSG_NOSIGNAL))
        }
    }

    func receive(into space: UnsafeMutableRawBufferPointer) -> Passage {
        moved { recv(socket, space.baseAddress, space.count, Int32(MSG_DONTWAIT)) }
    }

    func giveBack() {}

    private func moved(_ move: () -> Int) -> Passage {
        while true {
            let count = move()
            if count > 0 { return .bytes(count) }
            if count < 0, errno == EINTR { continue }
            return count < 0 && errno == EAGAIN ? .nothing : .over
        }
    }
}
