internal import Synchronization

/// How far one running attempt is: written by its worker, read once a second by the control queue.
public final class Progress: Sendable {
    private let began = Atomic<Int64>(0)
    private let reached = Atomic<Int64>(0)
    private let end = Atomic<Int64>(-1)

    public init() {}

    /// Where this attempt's bytes start in the file; called before the first of them moves.
    public func begin(at offset: ByteCount, limit: ByteCount?) {
        began.store(offset.rawValue, ordering: .relaxed)
        end.store(limit?.rawValue ?? -1, ordering: .relaxed)
        reached.store(offset.rawValue, ordering: .releasing)
    }

    /// The offset that may be recorded: for a download only what fdatasync(2) has made durable.
    public func advance(to offset: ByteCount) { reached.store(offset.rawValue, ordering: .releasing) }

    public func setLimit(_ limit: ByteCount?) { end.store(limit?.rawValue ?? -1, ordering: .releasing) }

    public var start: ByteCount { ByteCount(rawValue: began.load(ordering: .acquiring)) }
    public var offset: ByteCount { ByteCount(rawValue: reached.load(ordering: .acquiring)) }
    public var limit: ByteCount? {
        let value = end.load(ordering: .acquiring)
        return value < 0 ? nil : ByteCount(rawValue: value)
    }
}
