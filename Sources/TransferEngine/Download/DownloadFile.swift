import CLinux
internal import Glibc
internal import Synchronization
internal import TransferModel

/// The temporary file of a download: written by offset, by one connection or several, and made durable once a second.
///
/// It is written to on the download's disk queue, made durable on a queue of its own, so that the one does not wait for
/// the other. Who fetches what may be asked from any queue.
final class DownloadFile: Sendable {
    let temporary: Checkpoint.LocalTemporary
    let file: OpenFile
    private let progress: Progress
    private let plan: Mutex<SegmentPlan>
    /// Held while the disk works; touched on the disk queue alone.
    private let writing: Mutex<Writing>
    private let syncing = Mutex(Syncing())
    private let isRecorded: Atomic<Bool>
    private let isRetired = Atomic(false)

    private struct Writing: ~Copyable {
        /// Bytes before this one are compared with what the file holds instead of written.
        var compared: Int64 = 0
        /// Of the bytes before `digested`; nil when none are wanted.
        var digests: SourceDigests?
        var digested: Int64 = 0
        var isForeign = false
    }

    private struct Syncing {
        var queue: DiskQueue?
        var isUnderWay = false
        var time = ContinuousClock.now
        /// Bytes written since the kernel was last told to begin with them.
        var unstarted: Int64 = 0
        var failure: Failure?
    }

    /// How long bytes may wait for fdatasync(2): with the second that the job table may be behind, what a crash costs.
    private static let flushInterval = Duration.milliseconds(500)
    /// The kernel starts writing after so many bytes, so that the flush finds little left to do.
    private static let writeBehind: Int64 = 8 * 1024 * 1024

    /// A fresh file, empty; its bytes count from ``mayCount()`` on.
    init(
        fresh file: OpenFile, name: FileName, total: Int64?, digests: Set<ChecksumAlgorithm>,
        progress: Progress
    ) throws(Failure) {
        self.file = file
        self.progress = progress
        temporary = try Self.identity(of: file, name)
        plan = Mutex(SegmentPlan(total: total))
        writing = Mutex(Writing(digests: SourceDigests(digests)))
        isRecorded = Atomic(false)
        if let total { try Self.reserve(total, in: file) }
    }

    /// An earlier attempt's file, gone on with as `plan` says.
    ///
    /// - Parameters:
    ///   - compared: bytes before this one come again and are compared.
    ///   - digests: which checksums of the whole file are wanted.
    init(
        resumed file: OpenFile, as temporary: Checkpoint.LocalTemporary, _ plan: SegmentPlan,
        compared: Int64 = 0, digests: Set<ChecksumAlgorithm>, progress: Progress
    ) throws(Failure) {
        self.file = file
        self.progress = progress
        self.temporary = temporary
        if plan.recorded.isEmpty, ftruncate(file.descriptor, off_t(plan.durableCount)) != 0 {
            throw Failure.system("cannot cut '\(file.path)' to the bytes that are known to be good")
        }
        self.plan = Mutex(plan)
        writing = Mutex(Writing(compared: compared, digests: SourceDigests(digests)))
        isRecorded = Atomic(true)
        if let total = plan.total { try Self.reserve(total, in: file) }
    }

    // MARK: Who fetches what

    /// Everything before this offset is written, though perhaps not durable.
    var offset: Int64 { plan.withLock { $0.reached } }

    /// Every byte is written, though perhaps not durable.
    var isWritten: Bool { plan.withLock { $0.isWritten } }

    /// The file's length; nil while nobody knows.
    var total: Int64? { plan.withLock { $0.total } }

    /// How many bytes nobody has fetched yet.
    var rest: Int64 { plan.withLock { $0.rest } }

    /// What a connection with nothing to do should fetch; nil when there is nothing that is worth it.
    func take(isHelper: Bool = false) -> DownloadSegment? {
        plan.withLock { $0.take(isHelper: isHelper, now: .now) }.map { DownloadSegment($0, of: self) }
    }

    /// The whole of a fresh file; an empty one, too.
    func takeWhole() -> DownloadSegment {
        DownloadSegment(plan.withLock { $0.takeWhole(now: .now) }, of: self)
    }

    func divide(among count: Int) { plan.withLock { $0.divide(among: count) } }

    func keepTogether() { plan.withLock { $0.keepTogether() } }

    /// The file's length became known.
    func learn(total: Int64) { plan.withLock { $0.learn(total: total) } }

    /// For a segment's own use.
    func inPlan<Result>(_ body: (inout SegmentPlan) -> Result) -> Result {
        plan.withLock { plan in body(&plan) }
    }

    // MARK: Writing

    /// Whether bytes that came again were others than those in the file.
    var isForeign: Bool { writing.withLock { $0.isForeign } }

    /// The file is recorded as the job's own: what is durable may be counted from now on. From any queue.
    func mayCount() { isRecorded.store(true, ordering: .releasing) }

    /// Another file takes its place, or the attempt is over: nothing is written or counted any more.
    func retire() { isRetired.store(true, ordering: .sequentiallyConsistent) }

    /// Whether nothing is written to it any more.
    var hasRetired: Bool { isRetired.load(ordering: .sequentiallyConsistent) }

    /// Appends to a segment; has what a second has brought made durable.
    func write(_ bytes: UnsafeRawBufferPointer, to id: SegmentPlan.ID) throws(Failure) {
        guard !isRetired.load(ordering: .sequentiallyConsistent) else { return }
        if let failure = syncing.withLock({ $0.failure }) { throw failure }
        guard let offset = plan.withLock({ $0.written(of: id) }) else { return }
        try writing.withLock { (state) throws(Failure) in
            let known = Int(min(Int64(bytes.count), max(0, state.compared - offset)))
            if known > 0 {
                try compare(UnsafeRawBufferPointer(rebasing: bytes[..<known]), at: offset, &state)
            }
            try put(UnsafeRawBufferPointer(rebasing: bytes[known...]), at: offset + Int64(known))
            if let digests = state.digests, state.digested == offset {
                digests.update(bytes)
                state.digested += Int64(bytes.count)
            }
        }
        plan.withLock { $0.write(Int64(bytes.count), of: id) }
        syncSoon(Int64(bytes.count))
    }

    struct Whole: Sendable {
        let size: Int64
        let digests: [ChecksumAlgorithm: String]
    }

    /// What the whole file is, durable on return; nothing may be written after it.
    func finish() throws(Failure) -> Whole {
        guard fsync(file.descriptor) == 0 else { throw Failure.system("cannot flush '\(file.path)'") }
        let (size, isWhole) = plan.withLock { ($0.reached, $0.isWritten) }
        guard isWhole, let status = try? file.status(), status.st_size == size else {
            throw Failure(.local, text: "'\(file.path)' has not the length that was written to it")
        }
        let digests = try writing.withLock { (state) throws(Failure) -> [ChecksumAlgorithm: String] in
            try catchUp(to: size, &state)
            defer { state.digests = nil }
            return state.digests?.finish() ?? [:]
        }
        return Whole(size: size, digests: digests)
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

    private func compare(
        _ bytes: UnsafeRawBufferPointer, at offset: Int64, _ state: inout Writing
    ) throws(Failure) {
        var held = [UInt8](repeating: 0, count: bytes.count)
        let count = pread(file.descriptor, &held, held.count, off_t(offset))
        guard count == held.count, held.elementsEqual(bytes) else {
            state.isForeign = true
            throw Failure(
                .temporary,
                text: "the server did not go on with the file where it was asked to, or it has changed")
        }
    }

    /// Has the checksums take in what did not come in the order of the file.
    private func catchUp(to end: Int64, _ state: inout Writing) throws(Failure) {
        guard let digests = state.digests, state.digested < end else { return }
        var buffer = [UInt8](repeating: 0, count: 1 << 18)
        while state.digested < end {
            let wanted = Int(min(Int64(buffer.count), end - state.digested))
            let count = pread(file.descriptor, &buffer, wanted, off_t(state.digested))
            guard count > 0 else { throw Failure.system("cannot read '\(file.path)'") }
            buffer.withUnsafeBytes { digests.update(UnsafeRawBufferPointer(rebasing: $0[..<count])) }
            state.digested += Int64(count)
        }
    }
}

// MARK: - Durability

extension DownloadFile {
    /// Makes everything durable that was written, and counts it.
    func flush() throws(Failure) {
        let snapshot = plan.withLock { $0 }
        guard fdatasync(file.descriptor) == 0 else { throw Failure.system("cannot flush '\(file.path)'") }
        plan.withLock { plan in
            plan.sync(snapshot)
            guard isRecorded.load(ordering: .acquiring), !isRetired.load(ordering: .sequentiallyConsistent)
            else { return }
            progress.advance(to: ByteCount(rawValue: plan.durableCount), missing: plan.recorded)
        }
    }

    private func syncSoon(_ count: Int64) {
        let work = syncing.withLock { state -> (queue: DiskQueue, starts: Bool, flushes: Bool)? in
            state.unstarted += count
            let starts = state.unstarted >= Self.writeBehind
            let flushes = state.time.duration(to: .now) >= Self.flushInterval && !state.isUnderWay
            guard starts || flushes else { return nil }
            if starts { state.unstarted = 0 }
            if flushes { state.isUnderWay = true }
            let queue = state.queue ?? DiskQueue()
            state.queue = queue
            return (queue, starts, flushes)
        }
        guard let work else { return }
        work.queue.run {
            if work.starts { _ = transferd_start_writing(self.file.descriptor, 0, 0) }
            if work.flushes { self.flushOnce() }
        }
    }

    private func flushOnce() {
        var failed: Failure?
        do throws(Failure) { try flush() } catch { failed = error }
        syncing.withLock { state in
            state.isUnderWay = false
            state.time = .now
            state.failure = failed ?? state.failure
        }
    }

    /// Room for the whole file, so that a disk that is too small is known at once; file systems that cannot reserve it are
    /// asked how much is free.
    private static func reserve(_ total: Int64, in file: OpenFile) throws(Failure) {
        guard total >= smallestReserved else { return }
        // In memory room is set aside by filling it with zeros: as much work as the file itself.
        if LocalDirectories.kind(ofOpen: file.descriptor) != .memory {
            if transferd_reserve(file.descriptor, total) == 0 { return }
            if errno != EOPNOTSUPP, errno != ENOSYS, errno != EINTR {
                throw Failure.system("there is no room for the \(total) bytes of '\(file.path)'")
            }
        }
        var status = statvfs()
        guard fstatvfs(file.descriptor, &status) == 0, let held = try? file.status() else { return }
        let free = Int64(
            clamping: status.f_bavail.multipliedReportingOverflow(by: status.f_frsize).partialValue)
        guard free + Int64(held.st_blocks) * 512 >= total else {
            throw Failure.system("there is no room for the \(total) bytes of '\(file.path)'", errno: ENOSPC)
        }
    }

    /// Smaller files are not worth the call.
    private static let smallestReserved: Int64 = 1 << 20

    private static func identity(
        of file: OpenFile, _ name: FileName
    ) throws(Failure) -> Checkpoint.LocalTemporary {
        do {
            return Checkpoint.LocalTemporary(name: name, try file.status())
        } catch {
            throw error.failure
        }
    }
}
