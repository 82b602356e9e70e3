internal import CSSH
internal import Glibc

/// A descriptor that becomes readable when another queue says so: ends a poll(2) that waits for a connection too.
final class WakeSignal: Sendable {
    let descriptor: Int32

    init() {
        descriptor = eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK))
        precondition(descriptor >= 0, "a descriptor for a signal: \(SystemError.text(errno))")
    }

    deinit { close(descriptor) }

    func signal() {
        var one: UInt64 = 1
        write(descriptor, &one, MemoryLayout<UInt64>.size)
    }

    func clear() {
        var count: UInt64 = 0
        read(descriptor, &count, MemoryLayout<UInt64>.size)
    }
}
