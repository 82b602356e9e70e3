/// Bytes that a test sends or serves: given, or made from a seed and never whole in memory.
public enum TestContent: Sendable {
    case bytes([UInt8])
    /// The bytes `range` of the endless sequence that belongs to `seed`.
    case pattern(seed: UInt8, range: Range<Int>)

    /// The first `count` bytes of the endless sequence that belongs to `seed`.
    public static func pattern(_ count: Int, seed: UInt8 = 0) -> TestContent {
        .pattern(seed: seed, range: 0..<count)
    }

    public var count: Int {
        switch self {
        case .bytes(let bytes): bytes.count
        case .pattern(_, let range): range.count
        }
    }

    /// The bytes `range` of this content, which must lie within it.
    public func slice(_ range: Range<Int>) -> TestContent {
        switch self {
        case .bytes(let bytes): .bytes(Array(bytes[range]))
        case .pattern(let seed, let whole):
            .pattern(
                seed: seed, range: whole.lowerBound + range.lowerBound..<whole.lowerBound + range.upperBound)
        }
    }

    /// The content whole in memory.
    public var bytes: [UInt8] {
        switch self {
        case .bytes(let bytes): return bytes
        case .pattern(let seed, let range): return Self.bytes(of: seed, range)
        }
    }

    /// The table again and again, each time with the number of the turn and the seed in its first eight bytes.
    private static func bytes(of seed: UInt8, _ range: Range<Int>) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(range.count)
        var position = range.lowerBound
        while position < range.upperBound {
            let turn = position / table.count
            let start = position % table.count
            let end = min(table.count, start + range.upperBound - position)
            bytes += table[start..<end]
            let stamp = withUnsafeBytes(of: (UInt64(turn + 1) << 8 | UInt64(seed)).littleEndian, Array.init)
            for index in start..<max(start, min(end, stamp.count)) {
                bytes[bytes.count - (end - start) + index - start] ^= stamp[index]
            }
            position += end - start
        }
        return bytes
    }

    /// The SHA-256 of the content, in lower case hexadecimal.
    public var sha256: String {
        var digest = SHA256()
        forEachPiece { digest.update($0) }
        return digest.finish()
    }

    /// Calls `body` with the content in order, in pieces of at most 256 KiB.
    public func forEachPiece(_ body: ([UInt8]) throws -> Void) rethrows {
        var start = 0
        while start < count {
            let end = min(start + 1 << 18, count)
            try body(slice(start..<end).bytes)
            start = end
        }
    }

    /// A prime number of bytes, so that no power of two repeats: a lost or doubled block changes the digest.
    private static let table: [UInt8] = {
        var state: UInt64 = 0x9e37_79b9_7f4a_7c15
        return (0..<65521).map { _ in
            state ^= state << 13
            state ^= state >> 7
            state ^= state << 17
            return UInt8(truncatingIfNeeded: state)
        }
    }()
}
