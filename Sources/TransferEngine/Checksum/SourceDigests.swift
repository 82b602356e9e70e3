internal import Glibc
internal import Synchronization
internal import TransferModel

/// Checksums of one file, computed on its disk queue while it is read for sending, or by reading it once more.
final class SourceDigests: Sendable {
    private struct Running: ~Copyable {
        var first: Digest
        var second: Digest?
    }

    private let running: Mutex<Running>
    private let isGivenUp = Atomic(false)

    /// nil when nothing is to be computed. At most two algorithms have a use: what the server offers, and SHA-256.
    init?(_ algorithms: Set<ChecksumAlgorithm>) {
        let wanted = algorithms.sorted { $0.rawValue < $1.rawValue }
        precondition(wanted.count <= 2, "two checksums of one file are enough")
        guard let first = wanted.first else { return nil }
        running = Mutex(
            Running(first: Digest(first), second: wanted.count > 1 ? Digest(wanted[1]) : nil))
    }

    /// Takes the next bytes of the file; on its disk queue.
    func update(_ bytes: UnsafeRawBufferPointer) {
        running.withLock { running in
            running.first.update(bytes)
            running.second?.update(bytes)
        }
    }

    /// All checksums, when the whole file was taken; once.
    func finish() -> [ChecksumAlgorithm: String] {
        running.withLock { running in
            var found = [running.first.algorithm: running.first.finish()]
            if let second = running.second?.algorithm { found[second] = running.second?.finish() }
            return found
        }
    }

    /// Nobody waits for the result of ``read(_:of:)`` any more.
    func giveUp() { isGivenUp.store(true, ordering: .relaxed) }

    /// Reads the whole of an open file; blocks, on its disk queue. Throws when it is not what it was.
    func read(_ file: OpenFile, of identity: FileIdentity) throws(Failure) -> [ChecksumAlgorithm: String] {
        let block = UnsafeMutableRawBufferPointer.allocate(byteCount: 262_144, alignment: 64)
        defer { block.deallocate() }
        var offset: Int64 = 0
        while offset < identity.size.rawValue, !isGivenUp.load(ordering: .relaxed) {
            let wanted = Int(min(Int64(block.count), identity.size.rawValue - offset))
            let count = pread(file.descriptor, block.baseAddress, wanted, off_t(offset))
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw SystemError("read", file.path).failure }
            guard count > 0 else { throw file.changed }
            update(UnsafeRawBufferPointer(rebasing: block[..<count]))
            offset += Int64(count)
        }
        try file.requireUnchanged(since: identity)
        return finish()
    }
}
