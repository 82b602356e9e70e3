import CLinux
internal import Glibc
internal import Synchronization
internal import TransferModel

/// The temporary file of a download: written by offset, hashed on the way, and made durable once a second.
///
/// Used on the download's disk queue, but for ``mayCount()`` and what is read after the writing has ended.
final class DownloadFile: Sendable {
    let temporary: Checkpoint.LocalTemporary
    private let file: OpenFile
    private let progress: Progress
    private let state: Mutex<State>
    /// Not under the lock, which is held while the disk works.
    private let isRecorded: Atomic<Bool>

    private struct State: ~Copyable {
        var offset: Int64
        /// Bytes before this one are compared with what the file holds instead of written.
        var compared: Int64
        var digest: Digest?
        var flushed: Int64
        var flushTime = ContinuousClock.now
        var started: Int64
        var isForeign = false
    }

    /// How long bytes may wait for fdatasync(2): with the second that the job table may be behind, what a crash costs.
    private static let flushInterval = Duration.milliseconds(500)
    /// The kernel starts writing after so many bytes, so that the flush finds little left to do.
    private static let writeBehind: Int64 = 8 * 1024 * 1024

    /// A fresh file, empty; its bytes count from ``mayCount()`` on.
    init(fresh file: OpenFile, name: FileName, progress: Progress) throws(Failure) {
        self.file = file
        self.progress = progress
        temporary = try Self.identity(of: file, name)
        state = Mutex(
            State(offset: 0, compared: 0, digest: Digest(), flushed: 0, started: 0))
        isRecorded = Atomic(false)
    }

    /// An earlier attempt's file, gone on with at `offset`; what stands behind is cut off.
    ///
    /// - Parameters:
    ///   - overlap: how many bytes before `offset` come again and are compared.
    ///   - hashes: whether a digest of the whole file is wanted, for which its beginning is read.
    init(
        resumed file: OpenFile, as temporary: Checkpoint.LocalTemporary, at offset: Int64, overlap: Int64,
        hashes: Bool, progress: Progress
    ) throws(Failure) {
        self.file = file
        self.progress = progress
        self.temporary = temporary
        guard ftruncate(file.descriptor, off_t(offset)) == 0 else {
            throw Failure.system("cannot cut '\(file.path)' to the bytes that are known to be good")
        }
        let start = offset - overlap
        let digest = hashes ? try Self.digest(of: file, to: start) : nil
        state = Mutex(
            State(
                offset: start, compared: offset, digest: digest, flushed: offset, started: offset))
        isRecorded = Atomic(true)
    }

    /// Everything before this offset is written, though perhaps not durable.
    var offset: Int64 { state.withLock { $0.offset } }

    /// Whether bytes that came again were others than those in the file.
    var isForeign: Bool { state.withLock { $0.isForeign } }

    /// The file is recorded as the job's own: what is durable may be counted from now on. From any queue.
    func mayCount() { isRecorded.store(true, ordering: .releasing) }

    /// Appends, and makes durable what a second has brought.
    func write(_ bytes: UnsafeRawBufferPointer) throws(Failure) {
        try state.withLock { (state) throws(Failure) in
            let known = Int(min(Int64(bytes.count), max(0, state.compared - state.offset)))
            if known > 0 { try compare(UnsafeRawBufferPointer(rebasing: bytes[..<known]), &state) }
            let fresh = UnsafeRawBufferPointer(rebasing: bytes[known...])
            try put(fresh, at: state.offset)
            state.digest?.update(fresh)
            state.offset += Int64(fresh.count)
            startWriting(&state)
            if state.flushTime.duration(to: .now) >= Self.flushInterval { try flush(&state) }
        }
    }

    /// Makes everything durable that was written, and counts it.
    func flush() throws(Failure) {
        try state.withLock { (state) throws(Failure) in try flush(&state) }
    }

    /// What the whole file is, durable on return; nothing may be written after it.
    func finish() throws(Failure) -> (size: Int64, digest: String?) {
        guard fsync(file.descriptor) == 0 else { throw Failure.system("cannot flush '\(file.path)'") }
        let size = state.withLock { $0.offset }
        guard let status = try? file.status(), status.st_size == size else {
            throw Failure(.local, text: "'\(file.path)' has not the length that was written to it")
        }
        let digest = state.withLock { state in
            let digest = state.digest?.finish()
            state.digest = nil
            return digest
        }
        return (size, digest)
    }

    private func put(_ bytes: UnsafeRawBufferPointer, at offset: Int64) throws(Failure) {
        var done = 0
        while done < bytes.count {
            let rest = UnsafeRawBufferPointer(rebasing: bytes[done...])
            let count = pwrite(file.descriptor, rest.baseAddress, rest.count, off_t(offset) + off_t(done))
            if count > 0 {
                done += count
            } else if errno != EINTR {
                throw Failure.system("cannot write '\(file.path)'")
            }
        }
    }

    private func compare(_ bytes: UnsafeRawBufferPointer, _ state: inout State) throws(Failure) {
        var held = [UInt8](repeating: 0, count: bytes.count)
        let count = pread(file.descriptor, &held, held.count, off_t(state.offset))
        guard count == held.count, held.elementsEqual(bytes) else {
            state.isForeign = true
            throw Failure(
                .temporary,
                text: "the server did not go on with the file where it was asked to, or it has changed")
        }
        state.digest?.update(bytes)
        state.offset += Int64(bytes.count)
    }

    private func startWriting(_ state: inout State) {
        guard state.offset - state.started >= Self.writeBehind else { return }
        _ = transferd_start_writing(file.descriptor, state.started, state.offset - state.started)
        state.started = state.offset
    }

    private func flush(_ state: inout State) throws(Failure) {
        if state.offset > state.flushed {
            guard fdatasync(file.descriptor) == 0 else { throw Failure.system("cannot flush '\(file.path)'") }
            state.flushed = state.offset
        }
        state.flushTime = .now
        if isRecorded.load(ordering: .acquiring) { progress.advance(to: ByteCount(rawValue: state.flushed)) }
    }

    private static func identity(
        of file: OpenFile, _ name: FileName
    ) throws(Failure) -> Checkpoint.LocalTemporary {
        do {
            return Checkpoint.LocalTemporary(name: name, try file.status())
        } catch {
            throw error.failure
        }
    }

    private static func digest(of file: OpenFile, to end: Int64) throws(Failure) -> Digest {
        var digest = Digest()
        var buffer = [UInt8](repeating: 0, count: 1 << 18)
        var offset: Int64 = 0
        while offset < end {
            let wanted = Int(min(Int64(buffer.count), end - offset))
            let count = pread(file.descriptor, &buffer, wanted, off_t(offset))
            guard count > 0 else { throw Failure.system("cannot read '\(file.path)'") }
            buffer.withUnsafeBytes { digest.update(UnsafeRawBufferPointer(rebasing: $0[..<count])) }
            offset += Int64(count)
        }
        return digest
    }
}
