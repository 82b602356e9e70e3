import Glibc

/// One connection, read and written by blocking calls on one thread; closed at the end of its life.
struct ScriptedStream: ~Copyable {
    let fd: Int32
    let listener: ScriptedListener
    private var buffer: [UInt8] = []
    private var start = 0
    /// Set once the connection is secured.
    private var tls: TLSConnection?
    /// Whether the end of a secured connection is told before it is closed.
    var tellsEnd = true

    init(fd: Int32, listener: ScriptedListener) {
        self.fd = fd
        self.listener = listener
        var yes: Int32 = 1
        setsockopt(fd, Int32(IPPROTO_TCP), TCP_NODELAY, &yes, socklen_t(MemoryLayout<Int32>.size))
    }

    deinit {
        if tellsEnd { tls?.finish() }
        listener.release(fd)
    }

    /// Goes on over TLS; false when the client does not come to terms.
    mutating func secure(by context: ScriptedTLS) -> Bool {
        tls = context.accept(fd)
        return tls != nil
    }

    /// Whether the client resumed a TLS session.
    var isResumed: Bool { tls?.isResumed ?? false }

    /// The next line without its CR LF, nil at the end of the connection.
    mutating func readLine() -> [UInt8]? {
        while true {
            if let end = buffer[start...].firstIndex(of: 0x0a) {
                let line = buffer[start..<end]
                start = end + 1
                return Array(line.last == 0x0d ? line.dropLast() : line)
            }
            guard fill() else { return nil }
        }
    }

    /// The next bytes, at most `count`; empty at the end of the connection.
    mutating func read(atMost count: Int) -> [UInt8] {
        if start == buffer.count {
            guard fill() else { return [] }
        }
        let end = min(buffer.count, start + count)
        defer { start = end }
        return Array(buffer[start..<end])
    }

    /// Reads and drops everything until the other side closes.
    mutating func drain() {
        while !read(atMost: 1 << 20).isEmpty {}
    }

    /// Reads `count` bytes and drops them; returns how many came before the end of the connection.
    mutating func skip(_ count: Int) -> Int {
        var left = count - min(count, buffer.count - start)
        start += count - left
        let space = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 20, alignment: 4096)
        defer { space.deallocate() }
        while left > 0 {
            let got = recv(fd, space.baseAddress, min(left, space.count), 0)
            if got < 0 && errno == EINTR { continue }
            guard got > 0 else { break }
            left -= got
        }
        return count - left
    }

    private mutating func fill() -> Bool {
        if start > 0 {
            buffer.removeSubrange(..<start)
            start = 0
        }
        var piece = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = tls?.read(into: &piece) ?? recv(fd, &piece, piece.count, 0)
            if count < 0 && errno == EINTR { continue }
            guard count > 0 else { return false }
            buffer += piece[..<count]
            return true
        }
    }

    /// Sends all of `bytes`; false when the other side is gone.
    @discardableResult
    borrowing func send(_ bytes: [UInt8]) -> Bool {
        bytes.withUnsafeBytes { raw in
            var offset = 0
            while offset < raw.count {
                let rest = UnsafeRawBufferPointer(rebasing: raw[offset...])
                let count =
                    tls?.write(rest) ?? Glibc.send(fd, rest.baseAddress, rest.count, Int32(MSG_NOSIGNAL))
                if count > 0 { offset += count }
                if count <= 0 && (tls != nil || errno != EINTR) { return false }
            }
            return true
        }
    }

    @discardableResult
    borrowing func send(_ text: String) -> Bool { send(Array(text.utf8)) }

    /// Sends content in order, at most `rate` bytes a second.
    @discardableResult
    borrowing func send(_ content: TestContent, rate: Int? = nil) -> Bool {
        let step = rate.map { max(1, $0 / 50) } ?? 1 << 18
        var start = 0
        while start < content.count {
            let end = min(content.count, start + step)
            guard !listener.isStopped, send(content.slice(start..<end).bytes) else { return false }
            if rate != nil { listener.wait(.milliseconds(20)) }
            start = end
        }
        return true
    }

    /// Ends the connection with RST when the stream is closed.
    borrowing func resetAtClose() {
        var option = linger(l_onoff: 1, l_linger: 0)
        setsockopt(fd, SOL_SOCKET, SO_LINGER, &option, socklen_t(MemoryLayout<linger>.size))
    }

    /// Ends the sending side and gives the other side time to read what was sent and to close: closing with unread
    /// bytes sends RST, which may overtake an answer. Nothing more is read.
    borrowing func awaitClosing() {
        shutdown(fd, Int32(SHUT_WR))
        let deadline = ContinuousClock.now + .seconds(3)
        while ContinuousClock.now < deadline && !listener.isStopped {
            // POLLRDHUP: the other side has closed.
            var waited = pollfd(fd: fd, events: 0x2000, revents: 0)
            if poll(&waited, 1, 20) != 0 { return }
        }
    }
}
