internal import Synchronization
internal import TransferModel

/// Streams a form's body through a ring of fixed buffers into libcurl, and stops before the closing delimiter until the
/// form's seal is durable.
///
/// The disk queue reads ahead; the lane takes. When the lane has taken everything but the closing delimiter it asks for
/// the seal, once, and the delimiter follows when ``seal()`` is called.
final class FormProducer: SealedBody, Sendable {
    private let buffers: FixedBuffers
    private let disk: DiskQueue
    /// Used on the disk queue; the lock is never contended.
    private let reader: Mutex<FormBodyReader>
    private let seal = Mutex(Seal.far)

    private enum Seal {
        /// There is more to read before it.
        case far
        /// Everything but the closing delimiter is in the buffers.
        case due
        /// The lane has asked for it.
        case asked
    }

    private let wake: @Sendable () -> Void
    private let askForSeal: @Sendable (FormProducer) -> Void

    /// - Parameters:
    ///   - wake: has libcurl ask for bytes again; called on any queue.
    ///   - askForSeal: called on the lane, inside libcurl, when the lane has taken all but the closing delimiter; it
    ///     calls ``sealed()`` when the seal is durable.
    init(
        _ reader: FormBodyReader, on disk: DiskQueue, wake: @escaping @Sendable () -> Void,
        askForSeal: @escaping @Sendable (FormProducer) -> Void
    ) {
        self.wake = wake
        buffers = FixedBuffers.holding(reader.body.length)
        self.disk = disk
        self.reader = Mutex(reader)
        self.askForSeal = askForSeal
        buffers.onContent(wake)
    }

    /// Returns at once. The ring keeps the producer until ``cancel()`` or the end.
    func start() {
        buffers.onSpace { self.disk.run { self.pump() } }
        disk.run { self.pump() }
    }

    /// The seal is durable: the closing delimiter may go out. From any queue.
    func sealed() {
        disk.run {
            self.reader.withLock { $0.seal() }
            self.pump()
        }
    }

    /// Whether the seal was asked for.
    var isSealed: Bool {
        seal.withLock { if case .asked = $0 { true } else { false } }
    }

    func sealAhead() -> (Licence, piece: [UInt8])? { nil }

    func handOver() -> Bool { preconditionFailure("what is streamed is never in one piece") }

    func cancel() { buffers.cancel() }

    func read(into space: UnsafeMutableRawBufferPointer) -> ReadAnswer {
        let answer = buffers.read(into: space)
        if case .wait = answer, takeSeal() { askForSeal(self) }
        return answer
    }

    private func takeSeal() -> Bool {
        seal.withLock { seal in
            guard case .due = seal else { return false }
            seal = .asked
            return true
        }
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
        let isOver = reader.withLock { $0.isFinished }
        if isOver {
            buffers.finish()
            return false
        }
        guard let space = buffers.space() else { return false }
        let count: Int
        let awaitsSeal: Bool
        (count, awaitsSeal) = try reader.withLock { (reader) throws(Failure) in
            let count = try reader.read(into: space)
            if reader.awaitsSeal { try reader.verify() }
            return (count, reader.awaitsSeal)
        }
        // Before the last bytes are handed over, so that the lane that has taken them finds it.
        if awaitsSeal { seal.withLock { if case .far = $0 { $0 = .due } } }
        buffers.filled(count)
        // An empty form brings no content that would wake the lane.
        if awaitsSeal, count == 0 { wake() }
        return !awaitsSeal
    }
}
