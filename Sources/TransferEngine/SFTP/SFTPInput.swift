/// The bytes that came, until they make whole packets.
struct SFTPInput: ~Copyable {
    private var memory: UnsafeMutableRawBufferPointer
    private var taken = 0
    private var filled = 0

    /// What a packet may have at most: servers send no more than 256 KiB in one, and names by the hundred.
    private static let longest = 1 << 20

    init() { memory = .allocate(byteCount: 65_536, alignment: 16) }

    deinit { memory.deallocate() }

    /// Where the next bytes go; never empty.
    var space: UnsafeMutableRawBufferPointer {
        mutating get {
            if taken == filled { (taken, filled) = (0, 0) }
            if filled == memory.count { makeRoom() }
            return UnsafeMutableRawBufferPointer(rebasing: memory[filled...])
        }
    }

    /// So many bytes were put at the start of ``space``.
    mutating func add(_ count: Int) { filled += count }

    /// The next whole packet: kind, number, and the fields behind them; nil when there is none yet.
    mutating func next() throws(SFTPFormatError) -> (kind: UInt8, id: UInt32, fields: [UInt8])? {
        guard filled - taken >= 4 else { return nil }
        let length = Int(number(at: taken))
        guard (5...Self.longest).contains(length) else { throw SFTPFormatError() }
        guard filled - taken >= 4 + length else {
            if memory.count - taken < 4 + length { makeRoom(for: 4 + length) }
            return nil
        }
        defer { taken += 4 + length }
        let fields = [UInt8](memory[(taken + 9)..<(taken + 4 + length)])
        return (memory[taken + 4], number(at: taken + 5), fields)
    }

    /// The first bytes, for a sentence about a server that speaks something else.
    var beginning: [UInt8] { [UInt8](memory[taken..<min(filled, taken + 64)]) }

    private func number(at index: Int) -> UInt32 {
        UInt32(bigEndian: memory.loadUnaligned(fromByteOffset: index, as: UInt32.self))
    }

    private mutating func makeRoom(for length: Int = 0) {
        let held = memory[taken..<filled]
        if length > memory.count || held.count == memory.count {
            let larger = UnsafeMutableRawBufferPointer.allocate(
                byteCount: max(length, memory.count * 2), alignment: 16)
            larger.copyMemory(from: UnsafeRawBufferPointer(rebasing: held))
            memory.deallocate()
            memory = larger
        } else {
            memory.copyMemory(from: UnsafeRawBufferPointer(rebasing: held))
        }
        (taken, filled) = (0, held.count)
    }
}
