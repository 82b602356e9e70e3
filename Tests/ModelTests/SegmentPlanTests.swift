import Testing
import TransferModel

@Suite struct `Plans of segments` {
    private static let mebibyte: Int64 = 1 << 20

    private static func time(_ seconds: Double) -> MonotonicTime {
        MonotonicTime(rawValue: .milliseconds(Int64(seconds * 1000)))
    }

    private static func window(_ offset: Int64, _ limit: Int64) -> Window { Window(offset..<limit) }

    /// Everything that was fetched is written and durable.
    private static func settle(_ plan: inout SegmentPlan, _ count: Int64, of id: SegmentPlan.ID) {
        plan.write(count, of: id)
        let snapshot = plan
        plan.sync(snapshot)
    }

    @Test func `a file that comes in one piece has no windows to record`() throws {
        var plan = SegmentPlan(total: 1_000)
        let piece = try plan.taken(Self.time(0))
        #expect(piece.window == Self.window(0, 1_000))
        let came1 = plan.fetch(400, of: piece.id, now: Self.time(0))
        #expect(came1 == 400)
        Self.settle(&plan, 400, of: piece.id)
        #expect(plan.durableCount == 400)
        #expect(plan.recorded.isEmpty)
        #expect(plan.missing == [Self.window(400, 1_000)])
    }

    @Test func `what was fetched and not yet made durable is missing`() throws {
        var plan = SegmentPlan(total: 1_000)
        let piece = try plan.taken(Self.time(0))
        _ = plan.fetch(400, of: piece.id, now: Self.time(0))
        plan.write(300, of: piece.id)
        let snapshot = plan
        plan.write(100, of: piece.id)
        plan.sync(snapshot)
        #expect(plan.durableCount == 300)
        #expect(!plan.isWritten)
    }

    @Test func `a file of unknown length ends where its bytes end`() throws {
        var plan = SegmentPlan(total: nil)
        let piece = try plan.taken(Self.time(0))
        let came2 = plan.fetch(700, of: piece.id, now: Self.time(0))
        #expect(came2 == 700)
        Self.settle(&plan, 700, of: piece.id)
        #expect(!plan.isWritten)
        plan.end(at: piece.id)
        #expect(plan.isWritten)
        #expect(plan.total == 700)
    }

    @Test func `equal parts wait for those who come`() throws {
        var plan = SegmentPlan(total: 80 * Self.mebibyte)
        _ = plan.take(now: Self.time(0))
        plan.divide(among: 8)
        let windows = try (1..<20).map { _ in try plan.taken(Self.time(0)).window }
        #expect(windows.allSatisfy { $0.count == 4 * Self.mebibyte })
        #expect(windows.map(\.offset) == (1..<20).map { $0 * 4 * Self.mebibyte })
    }

    @Test func `of a large file there are four parts for each connection`() throws {
        var plan = SegmentPlan(total: 8_192 * Self.mebibyte)
        _ = plan.take(now: Self.time(0))
        plan.divide(among: 8)
        let windows = try (1..<32).map { _ in try plan.taken(Self.time(0)).window }
        #expect(windows.allSatisfy { $0.count == 256 * Self.mebibyte })
    }

    @Test func `who helps begins at the end, and the first goes through the file until they meet`() throws {
        var plan = SegmentPlan(total: 40 * Self.mebibyte)
        let first = try plan.taken(Self.time(0))
        plan.divide(among: 2)
        let helper = plan.take(isHelper: true, now: Self.time(0))
        #expect(helper?.window == Self.window(35 * Self.mebibyte, 40 * Self.mebibyte))
        let came = plan.fetch(40 * Self.mebibyte, of: first.id, now: Self.time(1))
        #expect(came == 35 * Self.mebibyte)
    }

    @Test func `no part is smaller than a mebibyte`() {
        var plan = SegmentPlan(total: 3 * Self.mebibyte)
        _ = plan.take(now: Self.time(0))
        plan.divide(among: 8)
        let pieces = (0..<3).map { _ in plan.take(now: Self.time(0)) }
        #expect(pieces.map { $0 != nil } == [true, true, false])
    }

    @Test func `a connection goes on behind its segment while nobody has the next one`() throws {
        var plan = SegmentPlan(total: 40 * Self.mebibyte)
        let first = try plan.taken(Self.time(0))
        plan.divide(among: 4)
        let second = try plan.taken(Self.time(0))
        let came3 = plan.fetch(11 * Self.mebibyte, of: first.id, now: Self.time(1))
        #expect(came3 == 4 * Self.mebibyte)
        let came4 = plan.fetch(21 * Self.mebibyte, of: second.id, now: Self.time(1))
        #expect(came4 == 21 * Self.mebibyte)
    }

    @Test func `the rest of the slowest is split`() throws {
        let half = 7 * Self.mebibyte / 2
        var plan = SegmentPlan(total: 2 * half)
        let slow = try plan.taken(Self.time(0))
        plan.divide(among: 2)
        let fast = try plan.taken(Self.time(0))
        _ = plan.fetch(Self.mebibyte, of: slow.id, now: Self.time(2))
        _ = plan.fetch(half, of: fast.id, now: Self.time(2))
        Self.settle(&plan, half, of: fast.id)
        plan.release(fast.id)
        let next = try plan.taken(Self.time(2))
        let cut = 9 * Self.mebibyte / 4
        #expect(next.window == Self.window(cut, half))
        // The slow one ends where the other has begun.
        let came5 = plan.fetch(10 * Self.mebibyte, of: slow.id, now: Self.time(3))
        #expect(came5 == cut - Self.mebibyte)
    }

    @Test func `what a silent connection was to fetch is taken over whole`() throws {
        var plan = SegmentPlan(total: 4 * Self.mebibyte)
        let silent = try plan.taken(Self.time(0))
        plan.divide(among: 1)
        _ = plan.fetch(Self.mebibyte / 2, of: silent.id, now: Self.time(1))
        let next = try plan.taken(Self.time(5))
        #expect(next.window == Self.window(Self.mebibyte / 2, 4 * Self.mebibyte))
        let came6 = plan.fetch(1_000, of: silent.id, now: Self.time(6))
        #expect(came6 == 0)
    }

    @Test func `small rests are left to whoever fetches them`() throws {
        var plan = SegmentPlan(total: Self.mebibyte)
        _ = plan.take(now: Self.time(0))
        plan.divide(among: 1)
        let piece = plan.take(now: Self.time(0.1))
        #expect(piece == nil)
    }

    @Test func `what a connection leaves is anybody's, from the last written byte on`() throws {
        var plan = SegmentPlan(total: 10_000)
        let piece = try plan.taken(Self.time(0))
        _ = plan.fetch(5_000, of: piece.id, now: Self.time(0))
        plan.write(3_000, of: piece.id)
        plan.release(piece.id)
        let rest = try plan.taken(Self.time(1))
        #expect(rest.window == Self.window(3_000, 10_000))
    }

    @Test func `windows survive as they were recorded`() throws {
        var plan = SegmentPlan(total: 40 * Self.mebibyte)
        let first = try plan.taken(Self.time(0))
        plan.divide(among: 2)
        for _ in 0..<3 { _ = try plan.taken(Self.time(0)) }
        let second = try plan.taken(Self.time(0))
        _ = plan.fetch(1_000, of: first.id, now: Self.time(0))
        _ = plan.fetch(2_000, of: second.id, now: Self.time(0))
        plan.write(1_000, of: first.id)
        Self.settle(&plan, 2_000, of: second.id)
        let half = 20 * Self.mebibyte
        #expect(plan.durableCount == 3_000)
        #expect(plan.recorded == [Self.window(1_000, half), Self.window(half + 2_000, 2 * half)])
        let again = SegmentPlan(missing: plan.recorded, total: 2 * half)
        #expect(again.recorded == plan.recorded)
        #expect(again.durableCount == 3_000)
    }

    @Test func `no byte is fetched by two, whatever the order`() {
        var generator = SystemRandomNumberGenerator()
        for _ in 0..<200 {
            var plan = SegmentPlan(total: 30 * Self.mebibyte + 12_345)
            var bytes: [Range<Int64>] = []
            var running: [SegmentPlan.ID] = plan.take(now: Self.time(0)).map { [$0.id] } ?? []
            plan.divide(among: 4)
            var now = 0.0
            while !plan.isWritten {
                now += Double.random(in: 0...1, using: &generator)
                if Bool.random(using: &generator) || running.isEmpty,
                    let piece = plan.take(now: Self.time(now))
                {
                    running.append(piece.id)
                }
                guard let id = running.randomElement(using: &generator) else { continue }
                let start = plan.position(of: id) ?? 0
                let count = plan.fetch(
                    .random(in: 1...3_000_000, using: &generator), of: id, now: Self.time(now))
                let written = Int.random(in: 0..<8, using: &generator) == 0 ? count / 2 : count
                plan.write(written, of: id)
                bytes.append(start..<start + written)
                if written < count || plan.isThrough(id) {
                    plan.release(id)
                    running.removeAll { $0 == id }
                }
                let snapshot = plan
                plan.sync(snapshot)
                running.removeAll { plan.isThrough($0) && plan.written(of: $0) == nil }
            }
            let sorted = bytes.filter { !$0.isEmpty }.sorted { $0.lowerBound < $1.lowerBound }
            #expect(sorted.first?.lowerBound == 0)
            #expect(zip(sorted, sorted.dropFirst()).allSatisfy { $0.upperBound == $1.lowerBound })
            #expect(sorted.last?.upperBound == plan.total)
            #expect(plan.missing.isEmpty)
        }
    }

    @Test(arguments: [
        ("auto", 1_000, 1), ("auto", 1 << 30, 8), ("3", 1 << 30, 3), ("5", 2 << 20, 2), ("off", 1 << 30, 1),
    ])
    func `how many connections a wish means`(text: String, rest: Int, expected: Int) throws {
        let wish = try #require(SegmentWish(text))
        #expect(wish.connections(for: Int64(rest)) == expected)
        #expect(wish.description == text)
    }

    @Test(arguments: ["", "0", "-1", "65", "many", "1.5"])
    func `other words are no wish`(text: String) {
        #expect(SegmentWish(text) == nil)
    }
}

extension SegmentPlan {
    /// What is taken; fails the test where there is nothing.
    fileprivate mutating func taken(_ now: MonotonicTime) throws -> Piece {
        let piece = take(now: now)
        return try #require(piece)
    }
}

@Suite struct `Help for slow connections` {
    @Test(arguments: [
        (12_000_000, 200 << 20, true), (12_000_000, 63 << 20, false),
        (600_000_000, 2 << 30, false), (0, 2 << 30, true),
    ])
    func `large rests of slow connections get it`(came: Int, rest: Int, needs: Bool) {
        #expect(SegmentWish.needsHelp(came: Int64(came), rest: Int64(rest)) == needs)
    }

    @Test(arguments: [(50, 200 << 20, true), (50, 63 << 20, false), (5, 2 << 30, false)])
    func `those on a long path get it at once`(milliseconds: Int, rest: Int, needs: Bool) {
        let roundTrip = Duration.milliseconds(milliseconds)
        #expect(SegmentWish.needsHelp(roundTrip: roundTrip, rest: Int64(rest)) == needs)
    }
}
