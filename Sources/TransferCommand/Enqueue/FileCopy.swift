internal import CLinux
internal import Glibc
internal import TransferModel

/// The bytes of one open file into another: shared on disk where the file system can, else copied.
enum FileCopy {
    private static let bufferSize = 262_144
    private static let largestRange = 64 << 20

    /// Throws when the source changes meanwhile: half old and half new is no file that anybody had.
    static func run(from input: borrowing OpenedInput, to fd: Int32, display: String) throws(CommandError) {
        // A clone takes the whole file, so standard input is read from where it stands.
        let isCloned = input.descriptor != STDIN_FILENO && transferd_clone_file(fd, input.descriptor) == 0
        if !isCloned, try !copyRanges(from: input.descriptor, to: fd, display) {
            try copyBytes(from: input.descriptor, to: fd, display)
        }
        guard input.isUnchanged() else {
            throw .usage("\(display) changed while it was copied; enqueue it when it is complete")
        }
        if let modified = input.modified { try keep(modified, on: fd) }
    }

    /// The copy is as old as its source, whose age a server may be told.
    private static func keep(_ modified: Int64, on fd: Int32) throws(CommandError) {
        let (seconds, nanoseconds) = modified.quotientAndRemainder(dividingBy: 1_000_000_000)
        // Before 1970 a remainder is negative.
        let time =
            nanoseconds < 0
            ? timespec(tv_sec: Int(seconds) - 1, tv_nsec: Int(nanoseconds) + 1_000_000_000)
            : timespec(tv_sec: Int(seconds), tv_nsec: Int(nanoseconds))
        guard futimens(fd, [time, time]) == 0 else { throw SystemCall.failure("cannot date the copy") }
    }

    /// Whether the kernel copied all of it by itself, copy_file_range(2); false where it cannot.
    private static func copyRanges(from source: Int32, to target: Int32, _ display: String)
        throws(CommandError) -> Bool
    {
        var total = 0
        while true {
            try Interruption.check()
            let count = transferd_copy_range(source, target, UInt(largestRange))
            if count > 0 {
                total += count
            } else if count == 0 {
                // Files of the proc kind claim to be empty; reading tells.
                return total > 0
            } else if errno != EINTR {
                guard total > 0 else { return false }
                throw SystemCall.failure("cannot copy \(display)")
            }
        }
    }

    private static func copyBytes(from source: Int32, to target: Int32, _ display: String)
        throws(CommandError)
    {
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: bufferSize, alignment: 4096)
        defer { buffer.deallocate() }
        while true {
            try Interruption.check()
            let count = read(source, buffer.baseAddress, bufferSize)
            if count == 0 { return }
            if count < 0 {
                guard try canReadAgain(source) else { throw SystemCall.failure("cannot read \(display)") }
                continue
            }
            var rest = UnsafeRawBufferPointer(rebasing: buffer[..<count])
            while !rest.isEmpty {
                let written = write(target, rest.baseAddress, rest.count)
                if written < 0, errno == EINTR { continue }
                guard written > 0 else { throw SystemCall.failure("cannot copy \(display) into the intake") }
                rest = UnsafeRawBufferPointer(rebasing: rest[written...])
            }
        }
    }

    /// After a failed read(2): interrupted, or standard input is non-blocking and has nothing yet.
    private static func canReadAgain(_ fd: Int32) throws(CommandError) -> Bool {
        if errno == EINTR { return true }
        guard errno == EAGAIN else { return false }
        var waiting = pollfd(fd: fd, events: Int16(POLLIN), revents: 0)
        return poll(&waiting, 1, -1) >= 0 || errno == EINTR
    }
}
