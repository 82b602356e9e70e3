/// Which bytes of a file are there while it comes over one connection or several, and who fetches which of the others.
///
/// A value: decides and counts, and knows no file and no connection. Each segment is a window that one connection
/// fetches; a byte of it is first fetched, then written, then durable, in this order. Those before `durable` need no
/// further thought, so that a whole segment is forgotten.
public struct SegmentPlan: Hashable, Sendable {
    /// The number of a segment in its plan.
    public struct ID: Hashable, Sendable {
        fileprivate let number: Int
    }

    /// A segment that a connection is to fetch, as it is when it is taken.
    public struct Piece: Hashable, Sendable {
        public let id: ID
        public let window: Window
    }

    struct Segment: Hashable, Sendable {
        let id: ID
        /// Bytes before it were taken from the connection.
        var fetched: Int64
        var written: Int64
        var durable: Int64
        /// The end of the segment; `.max` while nobody knows where the file ends.
        var limit: Int64
        var isTaken = false
        /// Since when, and from which byte on, its connection fetches; when its last bytes came.
        var since = MonotonicTime(rawValue: .zero)
        var start: Int64
        var moved = MonotonicTime(rawValue: .zero)

        var rest: Int64 { limit - fetched }
    }

    /// The file's length; nil while nobody knows.
    public private(set) var total: Int64?
    /// In the order of the file.
    var segments: [Segment] = []
    private var next = 0
    /// Whether a segment may be split for a further connection.
    public private(set) var isDivisible = false

    /// The smallest segment that is worth a request of its own, in bytes.
    public static let smallest: Int64 = 1 << 20

    /// A file that comes from `start` on in one piece, of which the bytes before `durable` are there.
    public init(from start: Int64 = 0, durable: Int64 = 0, total: Int64?) {
        self.total = total
        add(start..<max(start, total ?? .max), durable: durable)
    }

    /// A file of which everything but `missing` is there.
    public init(missing: [Window], total: Int64) {
        self.total = total
        for window in missing.sorted(by: { $0.offset < $1.offset }) where window.count > 0 {
            add(window.offset..<window.limit, durable: window.offset)
        }
    }

    private mutating func add(_ range: Range<Int64>, durable: Int64, at index: Int? = nil) {
        let segment = Segment(
            id: ID(number: next), fetched: range.lowerBound, written: range.lowerBound, durable: durable,
            limit: range.upperBound, start: range.lowerBound)
        next += 1
        segments.insert(segment, at: index ?? segments.count)
    }

    // MARK: What is there

    /// Every byte of the file is written, though perhaps not durable.
    public var isWritten: Bool { total != nil && segments.allSatisfy { $0.written == $0.limit } }

    /// The bytes that a crash would lose, in order; those of one window belong together.
    public var missing: [Window] {
        var windows: [Window] = []
        for segment in segments where segment.durable < segment.limit {
            if let last = windows.last, last.limit == segment.durable {
                windows[windows.count - 1] = Window(last.offset..<segment.limit)
            } else {
                windows.append(Window(segment.durable..<segment.limit))
            }
        }
        return windows
    }

    /// How many bytes are durable.
    public var durableCount: Int64 {
        guard let total else { return segments.first?.durable ?? 0 }
        return total - missing.reduce(0) { $0 + $1.count }
    }

    /// The windows to record with ``durableCount``: none where the bytes that are there are the file's first.
    public var recorded: [Window] {
        let missing = missing
        return missing.count > 1 || missing.first.map { $0.offset != durableCount } ?? false ? missing : []
    }

    /// How many bytes nobody has fetched yet.
    public var rest: Int64 { segments.reduce(0) { $0 + $1.rest } }

    /// Everything before this offset is written.
    public var reached: Int64 {
        segments.first { $0.written < $0.limit }?.written ?? total ?? segments.last?.written ?? 0
    }

    /// Whether nothing of the segment is left to fetch.
    public func isThrough(_ id: ID) -> Bool { index(of: id).map { segments[$0].rest == 0 } ?? true }

    /// Where the segment's next byte is to be written.
    public func written(of id: ID) -> Int64? { index(of: id).map { segments[$0].written } }

    /// Where the segment's next byte belongs; nil when all of it is durable, or the number unknown.
    public func position(of id: ID) -> Int64? { index(of: id).map { segments[$0].fetched } }

    // MARK: What happens

    /// Bytes of a segment came. Returns how many of them belong to it; fewer than came when it ends before.
    ///
    /// A segment whose connection goes on behind its end takes the next one over, as long as nobody else has it.
    public mutating func fetch(_ count: Int64, of id: ID, now: MonotonicTime) -> Int64 {
        guard let index = index(of: id) else { return 0 }
        while segments[index].rest < count, absorbNext(to: index) {}
        let taken = min(count, segments[index].rest)
        segments[index].fetched += taken
        segments[index].moved = now
        return taken
    }

    /// The last bytes that were fetched had no room after all; they come again.
    public mutating func putBack(_ count: Int64, of id: ID) {
        if let index = index(of: id) { segments[index].fetched -= count }
    }

    public mutating func write(_ count: Int64, of id: ID) {
        guard let index = index(of: id) else { return }
        segments[index].written += count
    }

    /// What was written when `snapshot` was taken is durable now.
    public mutating func sync(_ snapshot: SegmentPlan) {
        for known in snapshot.segments {
            guard let index = index(of: known.id) else { continue }
            segments[index].durable = max(segments[index].durable, known.written)
        }
        segments.removeAll { $0.durable == $0.limit && !$0.isTaken }
    }

    /// The connection is done with the segment: what was not written of it is anybody's.
    public mutating func release(_ id: ID) {
        guard let index = index(of: id) else { return }
        segments[index].isTaken = false
        segments[index].fetched = segments[index].written
        if segments[index].durable >= segments[index].limit { segments.remove(at: index) }
    }

    /// The file ended where the segment is now.
    public mutating func end(at id: ID) {
        guard let index = index(of: id) else { return }
        segments[index].limit = segments[index].fetched
        total = segments[index].fetched
    }

    /// The file's length became known while it came in one piece.
    public mutating func learn(total: Int64) {
        guard self.total == nil else { return }
        self.total = total
        if let last = segments.indices.last { segments[last].limit = max(total, segments[last].fetched) }
    }

    /// No segment is split any more.
    public mutating func keepTogether() { isDivisible = false }

    private mutating func absorbNext(to index: Int) -> Bool {
        guard index + 1 < segments.count else { return false }
        let following = segments[index + 1]
        guard !following.isTaken, following.fetched == segments[index].limit,
            following.durable <= following.fetched
        else { return false }
        segments[index].limit = following.limit
        segments.remove(at: index + 1)
        return true
    }

    private func index(of id: ID) -> Int? { segments.firstIndex { $0.id == id } }
}

// MARK: - Who fetches what

extension SegmentPlan {
    /// What is left is cut for `count` connections, and segments may be split from now on. The pieces wait for whoever
    /// comes; the connection that fetches already keeps the first, and goes on behind it.
    ///
    /// Of a large rest there are several pieces for each: one that is cut while it is fetched costs its connection and what
    /// is on the way, which a narrow path then carries for nothing.
    public mutating func divide(among count: Int) {
        isDivisible = true
        let pieces = max(count, Int(clamping: min(rest / Self.smallestOfMany, Int64(count * Self.turns))))
        while segments.count < pieces, let index = longest(where: { $0.rest >= 2 * Self.smallest }) {
            // Equal parts of the longest: as many as there are to be, so that no cut is made twice.
            let parts = Int64(pieces - segments.count + 1)
            let piece = segments[index].rest / min(parts, segments[index].rest / Self.smallest)
            split(index, at: Self.rounded(segments[index].fetched + piece))
        }
    }

    /// How many pieces there are for each connection at most, and how large they are then at least.
    private static let turns = 4
    private static let smallestOfMany: Int64 = 4 << 20

    /// A segment for a connection that has nothing to do: one that nobody fetches, else a part of the one that would
    /// take longest. nil when there is none that is worth it.
    ///
    /// - Parameter isHelper: takes the last one that is free, so that the connection that goes through the file meets it as
    ///   late as can be.
    public mutating func take(isHelper: Bool = false, now: MonotonicTime) -> Piece? {
        let free = segments.indices.filter { !segments[$0].isTaken && segments[$0].rest > 0 }
        if let index = isHelper ? free.last : free.first {
            return take(at: index, now)
        }
        guard isDivisible, let index = slowest(now) else { return nil }
        let segment = segments[index]
        split(index, at: cut(of: segment, now))
        return take(at: index + 1, now)
    }

    /// All of a file of which nothing is there, though it be empty.
    public mutating func takeWhole(now: MonotonicTime) -> Piece {
        precondition(segments.count == 1, "a fresh file has one segment")
        return take(at: 0, now)
    }

    private mutating func take(at index: Int, _ now: MonotonicTime) -> Piece {
        segments[index].isTaken = true
        segments[index].since = now
        segments[index].moved = now
        segments[index].start = segments[index].fetched
        let segment = segments[index]
        return Piece(id: segment.id, window: Window(segment.fetched..<segment.limit))
    }

    private mutating func split(_ index: Int, at cut: Int64) {
        let limit = segments[index].limit
        segments[index].limit = cut
        add(cut..<limit, durable: cut, at: index + 1)
    }

    /// Where a segment is cut: in the middle, or at once where nothing has come for a while.
    private func cut(of segment: Segment, _ now: MonotonicTime) -> Int64 {
        guard !hasStalled(segment, now) else { return segment.fetched }
        let middle = segment.fetched + segment.rest / 2
        let rounded = Self.rounded(middle)
        return rounded > segment.fetched && rounded < segment.limit ? rounded : middle
    }

    private static func rounded(_ offset: Int64) -> Int64 { offset & ~0xffff }

    private func longest(where isWanted: (Segment) -> Bool) -> Int? {
        segments.indices.filter { isWanted(segments[$0]) }.max { segments[$0].rest < segments[$1].rest }
    }

    /// The segment that would take longest, where a second connection would help.
    private func slowest(_ now: MonotonicTime) -> Int? {
        let worth = segments.indices.filter { isWorthSplitting(segments[$0], now) }
        return worth.max { wait(for: segments[$0], now) < wait(for: segments[$1], now) }
    }

    /// How long without a byte a connection may be before another one takes over what it was to fetch.
    private static let patience = Duration.seconds(3)
    /// A segment that would take longer than this is split however small it is, down to `sliver`.
    private static let longWait = 2.0
    /// The same for what is larger than two of the smallest segments.
    private static let shortWait = 1.0
    private static let sliver: Int64 = 128 << 10

    private func isWorthSplitting(_ segment: Segment, _ now: MonotonicTime) -> Bool {
        guard segment.rest > 0, segment.limit < .max else { return false }
        if hasStalled(segment, now) || segment.rest >= 2 * Self.smallestOfMany { return true }
        let least = segment.rest >= 2 * Self.smallest ? Self.shortWait : Self.longWait
        return segment.rest >= Self.sliver && wait(for: segment, now) > least
    }

    private func hasStalled(_ segment: Segment, _ now: MonotonicTime) -> Bool {
        segment.isTaken && now.since(segment.moved) >= Self.patience
    }

    /// Seconds until the segment's connection is through, at the pace that it has had.
    private func wait(for segment: Segment, _ now: MonotonicTime) -> Double {
        if hasStalled(segment, now) { return .infinity }
        let time = max(0.001, Double(now.since(segment.since).wholeMilliseconds) / 1000)
        let came = segment.fetched - segment.start
        // Before anything came only the sizes can be compared: as if each brought a megabyte a second.
        guard came > 0, time > 0.2 else { return Double(segment.rest) / 1_000_000 }
        return Double(segment.rest) * time / Double(came)
    }
}
