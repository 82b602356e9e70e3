import Testing
import TransferModel

/// What a list means to a route that fetches.
@Suite struct PollDecisionTests {
    private static let start = Timestamp(rawValue: 1_900_000_000_000)
    private static let rules = PollDecision.Rules(settle: .seconds(60), memory: .zero)

    private func file(_ name: String, size: Int64? = 5, modified: Int64 = 7_000) -> ListedFile {
        ListedFile(
            name: Array(name.utf8),
            version: FileVersion(size: size, modified: Timestamp(rawValue: modified)))
    }

    /// What is remembered after polls of these lists, a minute apart, and what each of them took.
    private func polls(
        _ lists: [[ListedFile]], rules: PollDecision.Rules = rules,
        isWanted: ([UInt8]) -> Bool = { _ in true }
    ) -> (taken: [[String]], memory: [RememberedFile]) {
        var memory: [RememberedFile] = []
        var taken: [[String]] = []
        for (index, list) in lists.enumerated() {
            let now = Self.start + .seconds(60 * Int64(index))
            let decision = PollDecision(
                list, remembered: memory, rules: rules, now: now, isWanted: isWanted)
            let changed = Set(decision.remembered.map(\.name)).union(decision.forgotten)
            memory = memory.filter { !changed.contains($0.name) } + decision.remembered
            taken.append(decision.taken.map(\.name.description))
        }
        return (taken, memory)
    }

    @Test func `a file is taken when it looks the same in two polls, and once`() {
        let list = [file("a")]
        #expect(polls([list, list, list, list]).taken == [[], ["a"], [], []])
    }

    @Test func `one that grows or gets another time waits for an interval more`() {
        let lists = [
            [file("a", size: 1)], [file("a", size: 2)], [file("a", size: 2, modified: 8_000)],
            [file("a", size: 2, modified: 8_000)],
        ]
        #expect(polls(lists).taken == [[], [], [], ["a"]])
    }

    @Test func `a poll that comes too early settles nothing`() {
        let early = Self.start + .seconds(59)
        let memory = [
            RememberedFile(
                name: Array("a".utf8), version: file("a").version, state: .seen(since: Self.start))
        ]
        let decision = PollDecision(
            [file("a")], remembered: memory, rules: Self.rules, now: early, isWanted: { _ in true })
        #expect(decision.taken.isEmpty && decision.remembered.isEmpty)
    }

    @Test func `a clock that was set back keeps no file waiting for longer than an interval`() {
        let memory = [
            RememberedFile(
                name: Array("a".utf8), version: file("a").version,
                state: .seen(since: Self.start + .seconds(86_400)))
        ]
        let decision = PollDecision(
            [file("a")], remembered: memory, rules: Self.rules, now: Self.start, isWanted: { _ in true })
        #expect(decision.remembered.map(\.state) == [.seen(since: Self.start)])
    }

    @Test func `a taken one with another size or time is a new file`() {
        let old = [file("a")]
        let new = [file("a", modified: 9_000)]
        #expect(polls([old, old, new, new]).taken == [[], ["a"], [], ["a"]])
    }

    @Test func `one that was moved away and comes back is a new file`() {
        let list = [file("a")]
        let (taken, memory) = polls([list, list, [], list, list])
        #expect(taken == [[], ["a"], [], [], ["a"]])
        #expect(memory.map(\.state) == [.taken])
    }

    @Test func `where files are left, a list that was cut makes none of them new`() {
        let list = [file("a"), file("b")]
        let rules = PollDecision.Rules(settle: .seconds(60), memory: .seconds(150))
        let (taken, memory) = polls([list, list, [], list, list, list], rules: rules)
        #expect(taken == [[], ["a", "b"], [], [], [], []])
        #expect(memory.allSatisfy { $0.missingSince == nil })
        let gone = polls([list, list, [], [], [], [], list, list], rules: rules)
        #expect(gone.taken.last == ["a", "b"], "what is missing for long is forgotten")
    }

    @Test func `names that are not wanted are not remembered`() {
        let list = [file("a.csv"), file(".a.csv.part")]
        let (taken, memory) = polls([list, list]) { $0.first != UInt8(ascii: ".") }
        #expect(taken == [[], ["a.csv"]])
        #expect(memory.map(\.name) == [Array("a.csv".utf8)])
    }

    @Test(arguments: ["a/b", "..", "a\u{1b}b", String(repeating: "x", count: 256)])
    func `a name that no file can have here is refused, and said once`(name: String) {
        let first = PollDecision(
            [file(name)], remembered: [], rules: Self.rules, now: Self.start, isWanted: { _ in true })
        #expect(first.refused == [Array(name.utf8)] && first.taken.isEmpty)
        let next = PollDecision(
            [file(name)], remembered: first.remembered, rules: Self.rules,
            now: Self.start + .seconds(60), isWanted: { _ in true })
        #expect(next.refused.isEmpty && next.taken.isEmpty && next.remembered.isEmpty)
    }

    @Test func `more than one poll may take wait for the next one`() {
        let list = (0..<5).map { file("f\($0)") }
        let rules = PollDecision.Rules(settle: .seconds(60), memory: .zero, most: 2)
        #expect(polls([list, list, list, list], rules: rules).taken.map(\.count) == [0, 2, 2, 1])
        let memory = list.map {
            RememberedFile(name: $0.name, version: $0.version, state: .seen(since: Self.start))
        }
        let decision = PollDecision(
            list, remembered: memory, rules: rules, now: Self.start + .seconds(60), isWanted: { _ in true })
        #expect(decision.hasMore)
    }

    @Test func `a list that leaves out the time of day after half a year means the same file`() {
        let noon = CalendarTime(year: 2031, month: 5, day: 28, hour: 12, minute: 30).timestamp
        let midnight = CalendarTime(year: 2031, month: 5, day: 28).timestamp
        let later = CalendarTime(year: 2031, month: 12, day: 1).timestamp
        let soon = CalendarTime(year: 2031, month: 6, day: 1).timestamp
        let before = FileVersion(size: 1, modified: noon)
        let after = FileVersion(size: 1, modified: midnight)
        #expect(after.isSame(as: before, now: later ?? Self.start))
        #expect(!after.isSame(as: before, now: soon ?? Self.start))
        #expect(!FileVersion(size: 2, modified: midnight).isSame(as: before, now: later ?? Self.start))
    }
}
