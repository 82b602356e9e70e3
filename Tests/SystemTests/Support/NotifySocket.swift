import Dispatch
import Glibc
import Synchronization
import TestServers

/// A service manager's side of sd_notify(3): a datagram socket that remembers what was said, and when.
final class NotifySocket: Sendable {
    struct Message: Sendable {
        let time: ContinuousClock.Instant
        let text: String
    }

    let path: String
    private let fd: Int32
    private let received = Mutex<[Message]>([])

    init(path: String) throws {
        self.path = path
        fd = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let bytes = Array(path.utf8)
        guard bytes.count < MemoryLayout.size(ofValue: address.sun_path) else {
            throw TestServerError("\(path) is too long for a socket")
        }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
        let size = socklen_t(MemoryLayout<sockaddr_un>.size)
        let fd = fd
        let result = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(fd, $0, size) }
        }
        guard result == 0 else {
            throw TestServerError("no socket at \(path): \(String(cString: strerror(errno)))")
        }
        BlockingThread.start { [weak self] in
            while let text = Self.receive(fd) { self?.note(text) }
        }
    }

    deinit {
        shutdown(fd, Int32(SHUT_RDWR))
        close(fd)
    }

    /// Everything said so far, one message a datagram.
    var messages: [Message] { received.withLock { $0 } }

    /// How many messages so far hold the line `assignment`.
    func count(of assignment: String) -> Int {
        messages.count { $0.text.split(separator: "\n").contains { $0 == assignment } }
    }

    /// The values of `STATUS=` so far.
    var sentences: [String] {
        messages.flatMap { $0.text.split(separator: "\n") }.filter { $0.hasPrefix("STATUS=") }
            .map { String($0.dropFirst(7)) }
    }

    /// The longest time without a message of `assignment` between `start` and now.
    func longestGap(of assignment: String, since start: ContinuousClock.Instant) -> Duration {
        var last = start
        var longest = Duration.zero
        for message in messages where message.time > start && message.text.contains(assignment) {
            longest = max(longest, message.time - last)
            last = message.time
        }
        return max(longest, ContinuousClock.now - last)
    }

    private func note(_ text: String) {
        received.withLock { $0.append(Message(time: .now, text: text)) }
    }

    /// The next datagram; nil when the socket was closed.
    private static func receive(_ fd: Int32) -> String? {
        var buffer = [UInt8](repeating: 0, count: 8192)
        while true {
            let count = recv(fd, &buffer, buffer.count, 0)
            if count < 0 && errno == EINTR { continue }
            return count > 0 ? String(decoding: buffer[..<count], as: UTF8.self) : nil
        }
    }
}
