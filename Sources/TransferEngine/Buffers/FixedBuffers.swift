internal import Glibc
internal import Synchronization
internal import TransferModel

/// A ring of fixed buffers between one producer and one consumer on different queues; neither ever blocks.
///
/// Each buffer has a window: the producer fills it up to `limit`, the consumer advances `offset`, and when the two
/// meet the buffer is free again. A side that finds nothing to do says so by what it got (``space()`` nil,
/// ``Content/empty``) and is called back once when there is. The memory of all but small rings comes from mmap(2) and
/// goes back to the kernel with the ring.
// @unchecked: `memory` is raw, and each byte of it belongs to one side at a time, as the windows under the lock say.
final class FixedBuffers: @unchecked Sendable {
    /// What the consumer finds.
    enum Content {
        /// Valid until ``consumed(_:)``.
        case bytes(UnsafeRawBufferPointer)
        /// Nothing yet; the consumer is called back.
        case empty
        /// The producer has finished and everything was consumed.
        case end
        /// The producer failed; what it had delivered before is consumed.
        case failed(Failure)
    }

    private enum End {
        case finished
        case failed(Failure)
        case cancelled
    }

    private struct State {
        var windows: [Range<Int>]
        /// The consumer's buffer and the producer's.
        var head = 0
        var tail = 0
        /// Bytes filled and not consumed.
        var ready = 0
        var end: End?
        var producerWaits = false
        var consumerWaits = false
        var wakeProducer: (@Sendable () -> Void)?
        var wakeConsumer: (@Sendable () -> Void)?

        var isCancelled: Bool {
            if case .cancelled = end { true } else { false }
        }
    }

    static let standardCount = 4
    static let standardSize = 262_144
    /// Up to here a ring is too small to be worth the kernel's while.
    private static let longestAllocated = 65_536

    private let memory: UnsafeMutableRawPointer
    private let count: Int
    private let size: Int
    private let batch: Int
    private let state: Mutex<State>

    /// `batch`: how many bytes must be ready before a waiting consumer is called back, unless the producer has ended,
    /// waits itself, or has settled.
    init(count: Int = standardCount, size: Int = standardSize, batch: Int = 1) {
        self.count = count
        self.size = size
        self.batch = batch
        memory =
            Self.isAllocated(count * size)
            ? .allocate(byteCount: count * size, alignment: 64) : Self.map(count * size)
        state = Mutex(State(windows: Array(repeating: 0..<0, count: count)))
    }

    deinit {
        if Self.isAllocated(count * size) {
            memory.deallocate()
        } else {
            munmap(memory, count * size)
        }
    }

    private static func isAllocated(_ bytes: Int) -> Bool { bytes <= longestAllocated }

    private static func map(_ bytes: Int) -> UnsafeMutableRawPointer {
        // Populated at once: a transfer costs the same whether its other side is quick or slow.
        let kind = MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE
        let memory = mmap(nil, bytes, PROT_READ | PROT_WRITE, kind, -1, 0)
        guard let memory, memory != MAP_FAILED else {
            preconditionFailure("memory for a ring of \(bytes) bytes")
        }
        return memory
    }

    /// A ring that is no larger than what has to pass through it.
    static func holding(_ length: Int64, batch: Int = 1) -> FixedBuffers {
        let needed = Int(clamping: length)
        guard needed < standardSize else { return FixedBuffers(batch: batch) }
        return FixedBuffers(count: 1, size: max(4_096, (needed + 4_095) & ~4_095), batch: batch)
    }

    /// Who is called when there is room again after ``space()`` gave nil; on any queue, must not block.
    func onSpace(_ wake: @escaping @Sendable () -> Void) {
        state.withLock { $0.wakeProducer = wake }
    }

    /// Who is called when there is content again after ``Content/empty``; on any queue, must not block.
    func onContent(_ wake: @escaping @Sendable () -> Void) {
        state.withLock { $0.wakeConsumer = wake }
    }

    // MARK: The producer's side

    /// The free part of the producer's buffer; nil when all buffers are full (the producer is called back) or the ring
    /// has ended.
    func space() -> UnsafeMutableRawBufferPointer? {
        let wake: (@Sendable () -> Void)?
        let free: Range<Int>?
        (free, wake) = state.withLock { state in
            guard state.end == nil else { return (nil, nil) }
            if let free = freeRange(&state) { return (free, nil) }
            state.producerWaits = true
            return (nil, takeConsumer(&state))
        }
        wake?()
        return free.map { UnsafeMutableRawBufferPointer(start: memory + $0.lowerBound, count: $0.count) }
    }

    /// How many bytes can be filled without waiting for the consumer.
    var room: Int { state.withLock { $0.end == nil ? room($0) : 0 } }

    /// `bytes` bytes at the start of the last ``space()`` hold content now.
    func filled(_ bytes: Int) {
        let wake = state.withLock { state -> (@Sendable () -> Void)? in
            guard state.end == nil else { return nil }
            let window = state.windows[state.tail]
            state.windows[state.tail] = window.lowerBound..<(window.upperBound + bytes)
            state.ready += bytes
            return state.ready >= batch ? takeConsumer(&state) : nil
        }
        wake?()
    }

    /// Nothing more comes for the moment: a waiting consumer is called back however little is ready.
    func settle() {
        let wake = state.withLock { $0.ready > 0 ? takeConsumer(&$0) : nil }
        wake?()
    }

    /// Nothing more will come.
    func finish() { end(.finished) }

    /// Nothing more will come, for this reason.
    func fail(_ failure: Failure) { end(.failed(failure)) }

    // MARK: The consumer's side

    func content() -> Content {
        state.withLock { state in
            let window = state.windows[state.head]
            if !window.isEmpty, !state.isCancelled {
                let start = memory + state.head * size + window.lowerBound
                return .bytes(UnsafeRawBufferPointer(start: start, count: window.count))
            }
            switch state.end {
            case .finished: return .end
            case .failed(let failure): return .failed(failure)
            case .cancelled: return .empty
            case nil:
                state.consumerWaits = true
                return .empty
            }
        }
    }

    /// The first `bytes` bytes of the last ``content()`` are done with.
    func consumed(_ bytes: Int) {
        let wake = state.withLock { state -> (@Sendable () -> Void)? in
            let window = state.windows[state.head]
            let rest = (window.lowerBound + bytes)..<window.upperBound
            state.windows[state.head] = rest
            state.ready -= bytes
            guard rest.isEmpty else { return nil }
            // The tail leaves a buffer only when it is full, so an emptied one that it left is done.
            if state.head != state.tail { state.head = (state.head + 1) % count }
            // Called back for half of the ring, it has something to do for a while.
            guard state.producerWaits, 2 * room(state) >= count * size else { return nil }
            state.producerWaits = false
            return state.wakeProducer
        }
        wake?()
    }

    /// Either side gives up: the other one finds nothing to do any more and is not called again.
    func cancel() {
        state.withLock { state in
            state.end = .cancelled
            state.wakeProducer = nil
            state.wakeConsumer = nil
        }
    }

    // MARK: Under the lock

    private func freeRange(_ state: inout State) -> Range<Int>? {
        if state.windows[state.tail].isEmpty { state.windows[state.tail] = 0..<0 }
        if state.windows[state.tail].upperBound == size {
            let next = (state.tail + 1) % count
            guard next != state.head else { return nil }
            state.tail = next
            state.windows[next] = 0..<0
        }
        let base = state.tail * size
        return (base + state.windows[state.tail].upperBound)..<(base + size)
    }

    private func room(_ state: State) -> Int {
        let window = state.windows[state.tail]
        let unused = (state.head + count - state.tail - 1) % count
        let here = window.isEmpty ? size : size - window.upperBound
        return here + unused * size
    }

    private func takeConsumer(_ state: inout State) -> (@Sendable () -> Void)? {
        guard state.consumerWaits else { return nil }
        state.consumerWaits = false
        return state.wakeConsumer
    }

    private func end(_ end: End) {
        let wake = state.withLock { state -> (@Sendable () -> Void)? in
            guard state.end == nil else { return nil }
            state.end = end
            return takeConsumer(&state)
        }
        wake?()
    }
}

extension FixedBuffers: StreamedBody {
    func read(into space: UnsafeMutableRawBufferPointer) -> ReadAnswer {
        switch content() {
        case .bytes(let bytes):
            let count = min(bytes.count, space.count)
            space.copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[..<count]))
            consumed(count)
            return .bytes(count)
        case .empty: return .wait
        case .end: return .end
        case .failed(let failure): return .fail(failure)
        }
    }
}

extension FixedBuffers: BodySink {
    /// Takes all of `bytes` or nothing: libcurl offers a block again as a whole.
    func write(_ bytes: UnsafeRawBufferPointer) -> WriteAnswer {
        guard hasRoom(for: bytes.count) else { return .wait }
        var rest = bytes
        while !rest.isEmpty, let space = space() {
            let count = min(rest.count, space.count)
            space.copyMemory(from: UnsafeRawBufferPointer(rebasing: rest[..<count]))
            filled(count)
            rest = UnsafeRawBufferPointer(rebasing: rest[count...])
        }
        return .taken
    }

    /// Notes that the producer waits when there is none.
    private func hasRoom(for bytes: Int) -> Bool {
        let (fits, wake) = state.withLock { state -> (Bool, (@Sendable () -> Void)?) in
            if room(state) >= bytes { return (true, nil) }
            state.producerWaits = true
            return (false, takeConsumer(&state))
        }
        wake?()
        return fits
    }
}
