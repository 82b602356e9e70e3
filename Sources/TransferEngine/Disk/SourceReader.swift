internal import Glibc
internal import Synchronization
internal import TransferModel

/// Reads a range of a file into a ring, on its disk queue, as fast as the ring has room.
///
/// Exactly the announced bytes are delivered. The file is looked at again before the last of them are handed over: one
/// that is shorter, or not what it was when it was opened, fails the ring, and the last bytes never leave. `digests` take
/// what is read.
final class SourceReader: Sendable {
    private let file: OpenFile
    private let identity: FileIdentity
    private let buffers: FixedBuffers
    private let disk: DiskQueue
    private let end: Int64
    private let digests: SourceDigests?
    /// Touched on the disk queue only; the lock is never contended.
    private let position: Mutex<Int64>

    init(
        _ file: OpenFile, identity: FileIdentity, range: Range<Int64>, into buffers: FixedBuffers,
        on disk: DiskQueue, digests: SourceDigests? = nil
    ) {
        self.file = file
        self.identity = identity
        self.buffers = buffers
        self.disk = disk
        self.digests = digests
        end = range.upperBound
        position = Mutex(range.lowerBound)
    }

    /// Returns at once. The ring keeps the reader until it is cancelled or has ended.
    func start() {
        buffers.onSpace { self.disk.run { self.pump() } }
        disk.run { self.pump() }
    }

    private func pump() {
        do throws(Failure) {
            while try step() {}
        } catch {
            buffers.fail(error)
        }
    }

    /// Whether there may be room and content for another step.
    private func step() throws(Failure) -> Bool {
        let start = position.withLock { $0 }
        guard start < end else {
            try file.requireUnchanged(since: identity)
            buffers.finish()
            return false
        }
        guard let space = buffers.space() else { return false }
        let wanted = Int(min(Int64(space.count), end - start))
        let count = pread(file.descriptor, space.baseAddress, wanted, off_t(start))
        if count < 0 {
            if errno == EINTR { return true }
            throw SystemError("read", file.path).failure
        }
        guard count > 0 else { throw file.changed }
        digests?.update(UnsafeRawBufferPointer(rebasing: space[..<count]))
        position.withLock { $0 = start + Int64(count) }
        if start + Int64(count) == end { try file.requireUnchanged(since: identity) }
        buffers.filled(count)
        return true
    }
}
