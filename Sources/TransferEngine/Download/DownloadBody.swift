internal import Synchronization
internal import TransferModel

/// One body on its way from libcurl into the file, through a ring of fixed buffers.
///
/// The lane writes; the disk queue takes, from ``store(in:)`` on. A file that can't be written ends the transfer, and so
/// does the end of the segment that the body is for.
final class DownloadBody: BodySink, Sendable {
    private let buffers: FixedBuffers
    private let disk: DiskQueue
    private let wake: @Sendable () -> Void
    private let state = Mutex(State())

    private struct State {
        var segment: DownloadSegment?
        /// Bytes that came before there was a segment.
        var waiting = 0
        /// What ended the storing; `.success` when every byte is in the file.
        var end: Result<Void, Failure>?
        var onEnd: (@Sendable (Result<Void, Failure>) -> Void)?
    }

    /// `wake` has libcurl offer its bytes again; called on any queue. One of several bodies has a smaller ring, and none
    /// has a larger one than the `length` that is announced. `batch`: how much is put by before ``settle()``.
    init(
        on disk: DiskQueue, isPart: Bool = false, length: Int64? = nil, batch: Int = 1,
        wake: @escaping @Sendable () -> Void
    ) {
        buffers =
            isPart
            ? FixedBuffers(size: FixedBuffers.standardSize / 2, batch: batch)
            : FixedBuffers.holding(length ?? .max, batch: batch)
        self.disk = disk
        self.wake = wake
        buffers.onSpace(wake)
    }

    /// While more comes at once, so many bytes go into the file together: the disk's queue is woken once for them. For who
    /// calls ``settle()``.
    static let batch = 131_072

    func settle() { buffers.settle() }

    func write(_ bytes: UnsafeRawBufferPointer) -> WriteAnswer {
        state.withLock { state in
            if case .failure(let failure)? = state.end { return .fail(failure) }
            guard let segment = state.segment else {
                let answer = buffers.write(bytes)
                if case .taken = answer { state.waiting += bytes.count }
                return answer
            }
            return write(bytes, to: segment)
        }
    }

    /// Others have taken over what was left of the segment.
    var hasEnough: Bool { state.withLock { $0.segment?.isThrough ?? false } }

    private func write(_ bytes: UnsafeRawBufferPointer, to segment: DownloadSegment) -> WriteAnswer {
        let fetched = segment.fetch(bytes.count)
        if fetched.isExcess { return .fail(Self.excess) }
        guard fetched.count > 0 || bytes.isEmpty else { return .enough }
        switch buffers.write(UnsafeRawBufferPointer(rebasing: bytes[..<fetched.count])) {
        case .taken, .enough: return fetched.count < bytes.count ? .enough : .taken
        case .wait:
            segment.putBack(fetched.count)
            return .wait
        case .fail(let failure): return .fail(failure)
        }
    }

    func space() -> Space {
        if case .failure(let failure)? = state.withLock({ $0.end }) { return .fail(failure) }
        return buffers.space().map(Space.bytes) ?? .wait
    }

    func filled(_ count: Int) -> WriteAnswer {
        state.withLock { state in
            if case .failure(let failure)? = state.end { return .fail(failure) }
            guard let segment = state.segment else {
                state.waiting += count
                buffers.filled(count)
                return .taken
            }
            let fetched = segment.fetch(count)
            if fetched.isExcess { return .fail(Self.excess) }
            buffers.filled(fetched.count)
            return fetched.count < count ? .enough : .taken
        }
    }

    private static let excess = Failure(
        .temporary, text: "the server sent more bytes than it had announced")

    /// The bytes go into `segment` from now on; from any queue, once.
    func store(in segment: DownloadSegment) {
        let isExcess = state.withLock { state in
            state.segment = segment
            return segment.fetch(state.waiting).count < state.waiting
        }
        guard !isExcess else { return fail(Self.excess) }
        // Kept by the ring that it has itself, it would stay, and its file open, for ever.
        buffers.onContent { [weak self] in self.map { body in body.disk.run { body.drain(into: segment) } } }
        disk.run { self.drain(into: segment) }
    }

    /// How many bytes wait for a file.
    var waiting: Int64 { state.withLock { Int64($0.waiting) } }

    /// All that came, and waits, goes into `segment`; on the disk queue, after the body's end.
    func storeWhole(in segment: DownloadSegment) throws(Failure) {
        state.withLock { state in
            state.segment = segment
            _ = segment.fetch(state.waiting)
        }
        buffers.finish()
        while case .bytes(let bytes) = buffers.content() {
            try segment.write(bytes)
            buffers.consumed(bytes.count)
        }
    }

    /// There is no file to store in.
    func fail(_ failure: Failure) {
        end(.failure(failure))
        buffers.cancel()
        wake()
    }

    /// Nothing more comes from libcurl; `done` is called once, when the file holds everything or can't.
    func finish(_ done: @escaping @Sendable (Result<Void, Failure>) -> Void) {
        let ended = state.withLock { state in
            if state.end == nil { state.onEnd = done }
            return state.end
        }
        buffers.finish()
        if let ended { done(ended) }
    }

    /// Like ``finish(_:)``, but what has no file yet is dropped instead of waited for.
    ///
    /// A file that is just being made is waited for, so that it is reported while its job still runs.
    func stop() async {
        await withCheckedContinuation { continuation in disk.run { continuation.resume() } }
        let isStoring = state.withLock { $0.segment != nil }
        guard isStoring else {
            buffers.cancel()
            return
        }
        await withCheckedContinuation { continuation in finish { _ in continuation.resume() } }
    }

    private func drain(into segment: DownloadSegment) {
        do throws(Failure) {
            while true {
                switch buffers.content() {
                case .bytes(let bytes):
                    try segment.write(bytes)
                    buffers.consumed(bytes.count)
                case .empty:
                    return
                case .end:
                    return end(.success(()))
                case .failed(let failure):
                    throw failure
                }
            }
        } catch {
            fail(error)
        }
    }

    private func end(_ result: Result<Void, Failure>) {
        let done = state.withLock { state -> (@Sendable (Result<Void, Failure>) -> Void)? in
            guard state.end == nil else { return nil }
            state.end = result
            defer { state.onEnd = nil }
            return state.onEnd
        }
        done?(result)
    }
}
