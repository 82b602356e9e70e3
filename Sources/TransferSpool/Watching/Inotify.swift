import CLinux
import Glibc
import TransferModel

/// The kernel's news of directories. Source: inotify(7).
final class Inotify {
    struct Event {
        let watch: Int32
        let mask: UInt32
        let cookie: UInt32
        /// nil for what concerns the watched directory itself.
        let name: FileName?

        func has(_ bit: Int32) -> Bool { mask & UInt32(bitPattern: bit) != 0 }
        /// The kernel's queue was full and news were lost.
        var isOverflow: Bool { has(IN_Q_OVERFLOW) }
        var concernsDirectory: Bool { has(IN_ISDIR) }
    }

    let fd: Int32
    private let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 65_536, alignment: 8)

    init() throws(SpoolError) {
        fd = inotify_init1(Int32(IN_NONBLOCK | IN_CLOEXEC))
        guard fd >= 0 else {
            let code = errno
            throw SpoolError(
                code: code, text: "cannot watch directories (inotify): \(String(cString: strerror(code)))")
        }
    }

    deinit {
        buffer.deallocate()
        if fd >= 0 { close(fd) }
    }

    /// What is heard of a route's directory. Not IN_MODIFY: 512 MiB written in pieces of 4 KiB woke the reader 20,000
    /// times with it and twice without; an open and a close stand around every write.
    static let routeMask =
        IN_CREATE | IN_OPEN | IN_CLOSE_WRITE | IN_CLOSE_NOWRITE | IN_MOVED_FROM | IN_MOVED_TO
        | IN_DELETE | IN_DELETE_SELF | IN_MOVE_SELF
    /// What is heard of the directory that holds the routes.
    static let spoolMask = IN_CREATE | IN_MOVED_FROM | IN_MOVED_TO | IN_DELETE | IN_DELETE_SELF | IN_MOVE_SELF

    /// Watches the directory that is held open, by way of /proc, so that it is that one and no other of its name.
    func watch(_ directory: OpenDirectory, _ mask: Int32) throws(SpoolError) -> Int32 {
        let bits = UInt32(bitPattern: mask) | UInt32(IN_ONLYDIR) | UInt32(IN_EXCL_UNLINK)
        let watch = inotify_add_watch(fd, "/proc/self/fd/\(directory.fd)", bits)
        guard watch >= 0 else { throw SpoolError.last("cannot watch the directory", directory.path) }
        return watch
    }

    func unwatch(_ watch: Int32) { inotify_rm_watch(fd, watch) }

    /// Calls `body` with what is there, 4 MiB at most, so that a flood of news does not hold up its reader.
    func drain(_ body: (Event) -> Void) {
        for _ in 0..<64 {
            let count = read(fd, buffer.baseAddress, buffer.count)
            var offset = 0
            while offset < count { offset += parse(at: offset, body) }
            // With room for one more event left, there was none.
            if count < buffer.count - 512 { return }
        }
    }

    private func parse(at offset: Int, _ body: (Event) -> Void) -> Int {
        let header = UnsafeRawBufferPointer(buffer).loadUnaligned(fromByteOffset: offset, as: Header.self)
        let start = offset + MemoryLayout<Header>.size
        let padded = UnsafeRawBufferPointer(buffer)[start..<start + Int(header.length)]
        let name = FileName(bytes: Array(padded.prefix { $0 != 0 }))
        body(Event(watch: header.watch, mask: header.mask, cookie: header.cookie, name: name))
        return MemoryLayout<Header>.size + Int(header.length)
    }

    /// struct inotify_event without its name.
    private struct Header {
        let watch: Int32
        let mask: UInt32
        let cookie: UInt32
        let length: UInt32
    }
}
