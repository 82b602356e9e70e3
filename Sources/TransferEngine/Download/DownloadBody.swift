internal import Synchronization
internal import TransferModel

/// One body on its way from libcurl into the file, through a ring of fixed buffers.
///
/// The lane writes; the disk queue takes, from ``store(in:)`` on. A file that can't be written ends the transfer.
final class DownloadBody: BodySink, Sendable {
    private let buffers = FixedBuffers()
    private let disk: DiskQueue
    private let wake: @Sendable () -> Void
    private let state = Mutex(State())

    private struct State {
        var isStoring = false
        /// What ended the storing; `.success` when every byte is in the file, flushed.
        var end: Result<Void, Failure>?
        var onEnd: (@Sendable (Result<Void, Failure>) -> Void)?
    }

    /// `wake` has libcurl offer its bytes again; called on any queue.
    init(on disk: DiskQueue, wake: @escaping @Sendable () -> Void) {
        self.disk = disk
        self.wake = wake
        buffers.onSpace(wake)
    }

    func write(_ bytes: UnsafeRawBufferPointer) -> WriteAnswer {
        if case .failure(let failure)? = state.withLock({ $0.end }) { return .fail(failure) }
        return buffers.write(bytes)
    }

    /// The bytes go into `file` from now on; from any queue, once.
    func store(in file: DownloadFile) {
        state.withLock { $0.isStoring = true }
        buffers.onContent { self.disk.run { self.drain(into: file) } }
        disk.run { self.drain(into: file) }
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
        let isStoring = state.withLock { $0.isStoring }
        guard isStoring else {
            buffers.cancel()
            return
        }
        await withCheckedContinuation { continuation in finish { _ in continuation.resume() } }
    }

    private func drain(into file: DownloadFile) {
        do throws(Failure) {
            while true {
                switch buffers.content() {
                case .bytes(let bytes):
                    try file.write(bytes)
                    buffers.consumed(bytes.count)
                case .empty:
                    return
                case .end:
                    try file.flush()
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
