internal import CCurl
internal import CLinux
internal import Dispatch
internal import Glibc

/// The sockets that libcurl wants watched, in one epoll set with one Dispatch source on its descriptor.
///
/// libcurl closes a socket right after it says REMOVE; a Dispatch source of its own for each would be cancelled later
/// than that, epoll_ctl(2) is done when it returns. Each event of the source costs three changes of threads, so it is
/// mute while the lane itself waits in ``takeReady(waiting:)``. Used on the lane's queue.
final class SocketSet {
    private let descriptor: Int32
    private let source: any DispatchSourceRead
    private var watched: Set<Int32> = []
    /// Sockets that libcurl no longer wants watched and may have left open.
    private var left: Set<Int32> = []
    private var isMute = false

    /// `ready` is called on `queue` when a socket has something.
    init(queue: DispatchQueue, ready: @escaping @Sendable () -> Void) {
        let descriptor = epoll_create1(Int32(EPOLL_CLOEXEC))
        precondition(descriptor >= 0, "a descriptor for an epoll set: \(SystemError.text(errno))")
        self.descriptor = descriptor
        source = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: queue)
        source.setEventHandler(handler: ready)
        source.setCancelHandler { Glibc.close(descriptor) }
        source.activate()
    }

    deinit {
        source.cancel()
        // Dispatch does not take a suspended source apart.
        hear()
    }

    /// `ready` is not called until ``hear()``.
    func mute() {
        guard !isMute else { return }
        isMute = true
        source.suspend()
    }

    /// `ready` is called when a socket has something, also when that came while the set was mute.
    func hear() {
        guard isMute else { return }
        isMute = false
        source.resume()
    }

    var isEmpty: Bool { watched.isEmpty }

    /// The one that is watched; nil when there are none or several.
    var only: Int32? { watched.count == 1 ? watched.first : nil }

    /// None is watched any more.
    func forget() {
        for socket in watched { watch(socket, CURL_POLL_REMOVE) }
    }

    /// `what` is one of libcurl's CURL_POLL_ values.
    func watch(_ socket: Int32, _ what: Int32) {
        var event = epoll_event()
        event.data.fd = socket
        if what == CURL_POLL_REMOVE {
            watched.remove(socket)
            leave(socket)
            return
        }
        if what & CURL_POLL_IN != 0 { event.events |= EPOLLIN.rawValue }
        if what & CURL_POLL_OUT != 0 { event.events |= EPOLLOUT.rawValue }
        let isNew = watched.insert(socket).inserted && left.remove(socket) == nil
        if epoll_ctl(descriptor, isNew ? EPOLL_CTL_ADD : EPOLL_CTL_MOD, socket, &event) != 0 {
            // The number was closed and opened again without a word in between, or the other way round.
            epoll_ctl(descriptor, isNew ? EPOLL_CTL_MOD : EPOLL_CTL_ADD, socket, &event)
        }
    }

    /// Whether sockets that libcurl lets go of are still listened to: what comes there then shows in ``takeReady(waiting:)``
    /// once, as an event of a socket that is not watched.
    var keepsListening = false {
        didSet {
            guard !keepsListening else { return }
            var event = epoll_event()
            // Those that were closed since have left the set by themselves.
            for socket in left { epoll_ctl(descriptor, EPOLL_CTL_DEL, socket, &event) }
            left = []
        }
    }

    /// Listens to one that libcurl did not have watched at all since then.
    func listen(to socket: Int32) { listen(to: socket, EPOLL_CTL_ADD) }

    /// Whether what comes at the socket shows.
    func isHeard(_ socket: Int32) -> Bool { watched.contains(socket) || left.contains(socket) }

    private func leave(_ socket: Int32) {
        guard keepsListening else {
            var event = epoll_event()
            epoll_ctl(descriptor, EPOLL_CTL_DEL, socket, &event)
            return
        }
        listen(to: socket, EPOLL_CTL_MOD)
    }

    private func listen(to socket: Int32, _ operation: Int32) {
        var event = epoll_event()
        event.data.fd = socket
        event.events = EPOLLIN.rawValue | EPOLLET.rawValue
        epoll_ctl(descriptor, operation, socket, &event)
        left.insert(socket)
    }

    /// The sockets that have something, each with libcurl's CURL_CSELECT_ bits; waits for one of them for so many
    /// milliseconds at most.
    func takeReady(waiting patience: Int32 = 0) -> [(socket: Int32, events: Int32)] {
        withUnsafeTemporaryAllocation(of: epoll_event.self, capacity: 8) { events in
            let count = epoll_wait(descriptor, events.baseAddress, Int32(events.count), patience)
            return events.prefix(Int(max(0, count))).map { ($0.data.fd, Self.bits($0.events)) }
        }
    }

    func isWatched(_ socket: Int32) -> Bool { watched.contains(socket) }

    private static func bits(_ events: UInt32) -> Int32 {
        var bits: Int32 = 0
        if events & (EPOLLIN.rawValue | EPOLLHUP.rawValue) != 0 { bits |= CURL_CSELECT_IN }
        if events & EPOLLOUT.rawValue != 0 { bits |= CURL_CSELECT_OUT }
        if events & EPOLLERR.rawValue != 0 { bits |= CURL_CSELECT_ERR }
        return bits
    }
}
