internal import CLinux
internal import Glibc
internal import Synchronization
internal import TransferModel

/// What other queues may touch of a lane while its own is blocked inside libcurl: which job runs, whether it is to stop,
/// and the sockets, which shutdown(2) wakes up.
///
/// A socket is closed under the same lock that guards the shutdown, so that a number used again by somebody else is
/// never shut down.
final class LaneControl: Sendable {
    private enum Phase {
        case idle
        case running(JobID, Stop?)
        case closed
    }

    private struct State {
        var phase = Phase.idle
        var sockets: Set<Int32> = []
        /// Sockets opened so far, or tried.
        var opened = 0
        /// Whether the next socket keeps back what is written to it, and the socket that does.
        var holdsNext = false
        var held: Int32?
        /// The socket that was opened when there was none: that of the connection itself, no data connection.
        var main: Int32?
        /// Whether what came there and was not read is kept when libcurl closes it, and what was.
        var keepsWords = false
        var words: [UInt8] = []
        /// Who waits for more than the sockets.
        var signal: WakeSignal?
    }

    /// Bytes that the kernel may hold without having sent them: what a job's offset is ahead of the wire, and what is
    /// left to travel when the last byte is handed over. Without it, megabytes.
    private static let longestUnsent: Int32 = 262_144

    private let state = Mutex(State())

    /// The job is on the lane from now on; false when the lane is closed.
    func begin(_ job: JobID) -> Bool {
        state.withLock { state in
            if case .closed = state.phase { return false }
            state.phase = .running(job, nil)
            return true
        }
    }

    /// The job that runs is over: what is done now is done for no job.
    func end(_ job: JobID) {
        state.withLock { state in
            if case .running(job, _) = state.phase { state.phase = .idle }
        }
    }

    /// Asks the running job to stop and breaks every wait for its server; false when another job runs or none.
    /// A cancellation wins over an interruption. `job` nil: whichever runs.
    func stop(_ job: JobID?, _ reason: Stop) -> Bool {
        state.withLock { state in
            guard case .running(let running, let earlier) = state.phase, job ?? running == running else {
                return false
            }
            state.phase = .running(running, earlier == .cancelled ? .cancelled : reason)
            Self.shutDown(state.sockets)
            return true
        }
    }

    /// Why the running job is to stop; nil: it isn't.
    var stop: Stop? {
        state.withLock { state in
            if case .running(_, let stop) = state.phase { stop } else { nil }
        }
    }

    /// No job is taken from now on; false while one runs, unless `always`.
    func close(always: Bool) -> Bool {
        state.withLock { state in
            if case .running = state.phase, !always { return false }
            state.phase = .closed
            Self.shutDown(state.sockets)
            return true
        }
    }

    var isClosed: Bool {
        state.withLock { if case .closed = $0.phase { true } else { false } }
    }

    /// How many sockets libcurl has asked for so far.
    var opened: Int { state.withLock { $0.opened } }

    /// The first open socket of which `isWanted` is true.
    func socket(where isWanted: (Int32) -> Bool) -> Int32? {
        state.withLock { $0.sockets.first(where: isWanted) }
    }

    /// Who is told by ``wake()`` from now on.
    func setSignal(_ signal: WakeSignal?) { state.withLock { $0.signal = signal } }

    /// Something that a transfer waits for is there; false when nobody is to be told here.
    func wake() -> Bool {
        state.withLock { state in
            state.signal?.signal()
            return state.signal != nil
        }
    }

    /// The one connection that is open; nil when there is none, or another one beside it.
    var onlySocket: Int32? { state.withLock { $0.sockets.count == 1 ? $0.sockets.first : nil } }

    /// That of the connection itself, no data connection; nil when it is closed.
    var mainSocket: Int32? { state.withLock { $0.main } }

    /// Whether libcurl has a socket open, dead or alive.
    var isConnected: Bool { state.withLock { !$0.sockets.isEmpty } }

    /// Breaks the connection, for libcurl to notice.
    func cutConnection() { state.withLock { Self.shutDown($0.sockets) } }

    /// Makes a socket for libcurl; nil when the job is to stop.
    func openSocket(family: Int32, type: Int32, protocol number: Int32) -> Int32? {
        state.withLock { state in
            state.opened += 1
            switch state.phase {
            case .closed, .running(_, .some): return nil
            case .idle, .running(_, nil): break
            }
            let socket = Glibc.socket(family, type | Int32(SOCK_CLOEXEC.rawValue), number)
            guard socket >= 0 else { return nil }
            var unsent = Self.longestUnsent
            setsockopt(
                socket, Int32(IPPROTO_TCP), TCP_NOTSENT_LOWAT, &unsent, socklen_t(MemoryLayout<Int32>.size))
            if state.sockets.isEmpty { state.main = socket }
            state.sockets.insert(socket)
            if state.holdsNext { Self.hold(socket, in: &state) }
            return socket
        }
    }

    /// Makes a socket for a data connection that libcurl does not know of; nil when the job is to stop.
    func openDataSocket(family: Int32) -> Int32? {
        state.withLock { state in
            guard case .running(_, nil) = state.phase else { return nil }
            let type =
                Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue) | Int32(SOCK_NONBLOCK.rawValue)
            let socket = Glibc.socket(family, type, 0)
            guard socket >= 0 else { return nil }
            state.sockets.insert(socket)
            return socket
        }
    }

    /// The next socket that libcurl asks for sends nothing before ``release()``, or for 200 ms (tcp(7), TCP_CORK).
    func holdNextSocket() { state.withLock { $0.holdsNext = true } }

    /// What was written to the socket that was held goes out.
    func release() {
        state.withLock { state in
            guard let held = state.held else { return }
            state.held = nil
            Self.cork(held, false)
        }
    }

    private static func hold(_ socket: Int32, in state: inout State) {
        state.holdsNext = false
        state.held = socket
        cork(socket, true)
    }

    private static func cork(_ socket: Int32, _ isOn: Bool) {
        var value: Int32 = isOn ? 1 : 0
        setsockopt(socket, Int32(IPPROTO_TCP), TCP_CORK, &value, socklen_t(MemoryLayout<Int32>.size))
    }

    /// A descriptor of its own for the same connection, which a stop breaks as well; libcurl closes its one. nil when
    /// there is none or the job is to stop.
    func keep(_ socket: Int32) -> KeptSocket? {
        state.withLock { state in
            guard state.sockets.contains(socket) else { return nil }
            let copy = transferd_fcntl(socket, F_DUPFD_CLOEXEC, 0)
            guard copy >= 0 else { return nil }
            state.sockets.insert(copy)
            return KeptSocket(copy, of: self)
        }
    }

    func closeSocket(_ socket: Int32) -> Int32 {
        // Nobody waits at the lock for a server: the number is free for others only when the socket is closed.
        let isHeard = state.withLock { state in
            guard state.main == socket else { return false }
            state.main = nil
            state.sockets.remove(socket)
            return state.keepsWords
        }
        if isHeard {
            let words = LastWords.read(from: socket)
            state.withLock { $0.words += words }
        }
        return state.withLock { state in
            state.sockets.remove(socket)
            if state.held == socket { state.held = nil }
            return Glibc.close(socket)
        }
    }

    /// While `keeps`, what a server has said on a connection that libcurl closes without having read it is kept, not on its
    /// data connections; what was kept before is forgotten.
    func keepWords(_ keeps: Bool) {
        state.withLock { state in
            state.keepsWords = keeps
            state.words = []
        }
    }

    /// What was kept, once; nothing is kept from here on.
    func takeWords() -> [UInt8] {
        state.withLock { state in
            defer { state.words = [] }
            state.keepsWords = false
            return state.words
        }
    }

    private static func shutDown(_ sockets: Set<Int32>) {
        for socket in sockets { shutdown(socket, Int32(SHUT_RDWR)) }
    }
}
