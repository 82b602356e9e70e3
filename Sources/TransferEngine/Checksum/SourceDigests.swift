internal import Glibc
internal import Synchronization
internal import TransferModel

/// Checksums of one file, computed on its disk queue while it is read for sending or written as it comes, or by reading
/// it once more.
final class SourceDigests: Sendable {
    private final class Running: Sendable {
        let algorithm: ChecksumAlgorithm
        private let digest: Mutex<Digest>

        init(_ algorithm: ChecksumAlgorithm) {
            self.algorithm = algorithm
            digest = Mutex(Digest(algorithm))
        }

        func update(_ bytes: UnsafeRawBufferPointer) { digest.withLock { $0.update(bytes) } }

        func finish() -> String { digest.withLock { $0.finish() } }
    }

    private let running: [Running]
    private let isGivenUp = Atomic(false)

    /// nil when nothing is to be computed.
    init?(_ algorithms: Set<ChecksumAlgorithm>) {
        guard !algorithms.isEmpty else { return nil }
        running = algorithms.map(Running.init)
    }

    /// Takes the next bytes of the file; on its disk queue.
    func update(_ bytes: UnsafeRawBufferPointer) {
        for digest in running { digest.update(bytes) }
    }

    /// All checksums, when the whole file was taken; once.
    func finish() -> [ChecksumAlgorithm: String] {
        var found: [ChecksumAlgorithm: String] = [:]
        for digest in running { found[digest.algorithm] = digest.finish() }
        return found
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
