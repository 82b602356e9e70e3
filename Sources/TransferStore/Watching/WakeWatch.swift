internal import CLinux
internal import Glibc
public import TransferModel

/// Notices that another process has written the job table: a watch on the state directory, inotify(7).
///
/// Others touch `wake` after their commit; a bare `sqlite3` closes the table's log. The latter comes before the commit
/// can be seen, so look again as ``WakeRetries`` says while ``JobStore/hasForeignChanges()`` says no. The descriptor
/// is closed when the value goes: keep it until the source on it is cancelled.
public final class WakeWatch {
    /// Readable when something happened; non-blocking.
    public let descriptor: Int32

    /// Throws ``StoreError/environment(_:)`` where there is no watch to be had; then only looking now and then helps.
    public init(_ places: Places) throws(StoreError) {
        let descriptor = inotify_init1(Int32(IN_NONBLOCK | IN_CLOEXEC))
        guard descriptor >= 0 else {
            throw .environment("cannot watch \(places.state): \(SystemCalls.words())")
        }
        let mask = UInt32(IN_CLOSE_WRITE | IN_ONLYDIR)
        guard places.state.withCString({ inotify_add_watch(descriptor, $0, mask) }) >= 0 else {
            let words = SystemCalls.words()
            close(descriptor)
            throw .environment("cannot watch \(places.state): \(words)")
        }
        self.descriptor = descriptor
        names = [places.wake, TableFiles.writeAheadLog(of: places.jobTable)].compactMap(
            \.lastComponent?.bytes)
    }

    deinit { close(descriptor) }

    private let names: [[UInt8]]

    /// Reads everything that has come; whether the table may have been written.
    public func drain() -> Bool {
        var buffer = [UInt8](repeating: 0, count: 16_384)
        var relevant = false
        while true {
            let count = read(descriptor, &buffer, buffer.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return relevant }
            relevant = isRelevant(buffer[..<count]) || relevant
        }
    }

    /// An event is 16 bytes (watch, mask, cookie, length of the name) and the name, filled up with NUL bytes.
    private func isRelevant(_ events: ArraySlice<UInt8>) -> Bool {
        var rest = events
        while rest.count >= 16 {
            let (mask, length) = rest.withUnsafeBytes {
                (
                    $0.loadUnaligned(fromByteOffset: 4, as: UInt32.self),
                    Int($0.loadUnaligned(fromByteOffset: 12, as: UInt32.self))
                )
            }
            let name = Array(rest.dropFirst(16).prefix(length).prefix { $0 != 0 })
            if mask & UInt32(IN_Q_OVERFLOW) != 0 || names.contains(name) { return true }
            rest = rest.dropFirst(16 + length)
        }
        return false
    }
}
