internal import Synchronization

/// How far one running attempt is: written by its worker, read once a second by the control queue.
public final class Progress: Sendable {
    private let state = Mutex(Advance(start: .zero, offset: .zero, limit: nil))

    public init() {}

    /// Where this attempt's bytes start in the file; called before the first of them moves.
    ///
    /// - Parameter missing: the bytes that are still to come, where those that are there are not the file's first.
    public func begin(at offset: ByteCount, limit: ByteCount?, missing: [Window] = []) {
        state.withLock { $0 = Advance(start: offset, offset: offset, limit: limit, missing: missing) }
    }

    /// The offset that may be recorded: for a download only what fdatasync(2) has made durable.
    public func advance(to offset: ByteCount, missing: [Window] = []) {
        state.withLock { $0 = Advance(start: $0.start, offset: offset, limit: $0.limit, missing: missing) }
    }

    public func setLimit(_ limit: ByteCount?) {
        state.withLock {
            $0 = Advance(start: $0.start, offset: $0.offset, limit: limit, missing: $0.missing)
        }
    }

    /// All of it, as it is in one moment.
    public var advance: Advance { state.withLock { $0 } }

    public var start: ByteCount { advance.start }
    public var offset: ByteCount { advance.offset }
    public var limit: ByteCount? { advance.limit }
}
