import Dispatch
import Synchronization
import TestServers
import Testing
import TransferModel

@testable import TransferEngine

@Suite struct `The ring between disk and connection` {
    /// Fills up to `count` bytes of the sequence that begins at `position`.
    private func fill(_ ring: FixedBuffers, _ count: Int, from position: inout Int) -> Bool {
        guard let space = ring.space() else { return false }
        let filled = min(count, space.count)
        for index in 0..<filled { space[index] = UInt8(truncatingIfNeeded: (position + index) * 31) }
        position += filled
        ring.filled(filled)
        return true
    }

    private func take(_ ring: FixedBuffers, _ count: Int, from position: inout Int) -> Bool? {
        guard case .bytes(let bytes) = ring.content() else { return nil }
        let taken = min(count, bytes.count)
        let isRight = (0..<taken).allSatisfy { bytes[$0] == UInt8(truncatingIfNeeded: (position + $0) * 31) }
        position += taken
        ring.consumed(taken)
        return isRight
    }

    @Test(arguments: [1, 2, 4]) func `bytes come out in the order they went in, whatever the steps`(
        count: Int
    ) {
        let ring = FixedBuffers(count: count, size: 4_096)
        var (written, read) = (0, 0)
        var random = SystemRandomNumberGenerator()
        for _ in 0..<5_000 {
            if Bool.random(using: &random) {
                _ = fill(ring, Int.random(in: 1...5_000, using: &random), from: &written)
            } else {
                #expect(take(ring, Int.random(in: 1...5_000, using: &random), from: &read) != false)
            }
        }
        while let isRight = take(ring, 4_096, from: &read) { #expect(isRight) }
        #expect(read == written)
    }

    @Test func `a full ring takes no more until a buffer is emptied, and then calls once`() {
        let ring = FixedBuffers(count: 2, size: 4_096)
        let calls = Atomic(0)
        ring.onSpace { calls.add(1, ordering: .relaxed) }
        var (written, read) = (0, 0)
        while fill(ring, 4_096, from: &written) {}
        #expect(written == 8_192)
        #expect(take(ring, 4_095, from: &read) == true)
        #expect(calls.load(ordering: .relaxed) == 0)
        #expect(take(ring, 1, from: &read) == true)
        #expect(take(ring, 4_096, from: &read) == true)
        #expect(calls.load(ordering: .relaxed) == 1)
    }

    @Test func `a block is taken as a whole or not at all`() {
        let ring = FixedBuffers(count: 2, size: 4_096)
        let block = [UInt8](repeating: 7, count: 3_000)
        func offer() -> Bool {
            block.withUnsafeBytes { if case .taken = ring.write($0) { true } else { false } }
        }
        #expect(offer())
        #expect(offer())
        #expect(!offer())
        #expect(ring.room == 2_192)
    }

    @Test func `what was delivered before a failure is consumed before it is seen`() {
        let ring = FixedBuffers(count: 2, size: 4_096)
        var (written, read) = (0, 0)
        _ = fill(ring, 10, from: &written)
        ring.fail(Failure(.local, text: "gone"))
        #expect(take(ring, 10, from: &read) == true)
        guard case .failed(let failure) = ring.content() else {
            Issue.record("no failure")
            return
        }
        #expect(failure.text == "gone")
    }

    @Test func `a consumer that asked for a batch is called when it is there, or when the end is`() {
        let ring = FixedBuffers(count: 2, size: 4_096, batch: 4_096)
        let calls = Atomic(0)
        ring.onContent { calls.add(1, ordering: .relaxed) }
        _ = ring.content()
        var written = 0
        _ = fill(ring, 4_000, from: &written)
        #expect(calls.load(ordering: .relaxed) == 0)
        ring.finish()
        #expect(calls.load(ordering: .relaxed) == 1)
    }

    @Test func `two queues pass a long sequence`() async {
        let ring = FixedBuffers(count: 3, size: 4_096)
        let total = 3_000_000
        let disk = DiskQueue()
        let lane = DiskQueue()
        let written = Mutex(0)
        let read = Mutex((position: 0, isRight: true))
        @Sendable func produce() {
            written.withLock { position in
                while position < total, fill(ring, total - position, from: &position) {}
                if position == total { ring.finish() }
            }
        }
        ring.onSpace { disk.run { produce() } }
        await withCheckedContinuation { (done: CheckedContinuation<Void, Never>) in
            @Sendable func consume() {
                let isAtEnd = read.withLock { state in
                    while let isRight = take(ring, 1_000, from: &state.position) {
                        state.isRight = state.isRight && isRight
                    }
                    if case .end = ring.content() { return true }
                    return false
                }
                if isAtEnd { done.resume() }
            }
            ring.onContent { lane.run { consume() } }
            disk.run { produce() }
            lane.run { consume() }
        }
        #expect(read.withLock { $0.position } == total)
        #expect(read.withLock { $0.isRight })
        ring.cancel()
    }
}
