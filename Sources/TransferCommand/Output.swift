internal import Glibc
internal import TransferModel

/// Standard output, gathered and written in large pieces.
///
/// A reader that went away ends the output, not the work: ``isBroken`` tells.
final class Output {
    private let descriptor: Int32
    private var pending: [UInt8] = []
    private(set) var isBroken = false
    /// errno of a write that failed for another reason than a reader that went away.
    private(set) var failure: Int32?

    init(_ descriptor: Int32 = STDOUT_FILENO) { self.descriptor = descriptor }

    var isTerminal: Bool { isatty(descriptor) == 1 }

    /// Waits for so long; false at once when nobody reads any more.
    func waitForReader(_ wait: Duration) -> Bool {
        var waiting = pollfd(fd: descriptor, events: 0, revents: 0)
        poll(&waiting, 1, Int32(clamping: wait.wholeMilliseconds))
        return !isBroken && waiting.revents & Int16(POLLERR | POLLHUP | POLLNVAL) == 0
    }

    func line(_ text: String) { write(text + "\n") }

    func write(_ text: String) {
        pending += text.utf8
        if pending.count >= 65_536 { flush() }
    }

    /// Bytes as they are.
    func write(_ bytes: UnsafeRawBufferPointer) {
        pending += bytes
        if pending.count >= 65_536 { flush() }
    }

    /// Throws where nothing more can be written.
    func check() throws(CommandError) {
        guard isBroken else { return }
        throw .later("nobody reads standard output any more")
    }

    /// Everything so far is with the kernel on return, unless ``isBroken``.
    func flush() {
        var rest = pending[...]
        while !rest.isEmpty, !isBroken {
            let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count > 0 {
                rest = rest.dropFirst(count)
            } else if errno == EAGAIN {
                var waiting = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                poll(&waiting, 1, -1)
            } else if errno != EINTR {
                if errno != EPIPE { failure = errno }
                isBroken = true
            }
        }
        pending.removeAll(keepingCapacity: true)
    }
}

/// Standard error: sentences, each on a line that starts with the program's name.
enum Complaint {
    static func write(_ sentences: String) {
        let lines = sentences.split(separator: "\n").map { "transferctl: \($0)\n" }
        let bytes = Array(lines.joined().utf8)
        _ = bytes.withUnsafeBytes { Glibc.write(STDERR_FILENO, $0.baseAddress, $0.count) }
    }
}
