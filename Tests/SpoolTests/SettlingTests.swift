import Testing
import TransferModel
import TransferSpool

/// Names of one directory, fed with events at seconds since a start.
private struct Bench {
    var settling: Settling
    let name: FileName

    init(settle: Duration = .seconds(2)) throws {
        settling = Settling(settle: settle)
        name = try #require(FileName("file"))
    }

    static func at(_ seconds: Double) -> MonotonicTime {
        MonotonicTime(rawValue: .seconds(1000) + .milliseconds(Int64(seconds * 1000)))
    }

    mutating func hear(_ event: Settling.Event, _ seconds: Double) {
        settling.handle(event, of: name, at: Self.at(seconds))
    }

    mutating func due(_ seconds: Double) -> [Settling.Candidate] {
        settling.takeDue(at: Self.at(seconds), limit: 10)
    }
}

private func look(_ size: Int64) -> Look { Look(inode: 7, size: size, modified: size, changed: size) }

/// What happens, at which second, and when the file is due; nil: not within a day.
struct Story: CustomTestStringConvertible, Sendable {
    let testDescription: String
    var settle: Duration = .seconds(2)
    let events: [(Double, Settling.Event)]
    let due: Double?
    var needsProof = false

    static let created = Settling.Event.created(look(0))

    static let all = [
        Story(
            testDescription: "closed after writing: settle after the close",
            events: [(0, created), (0, .opened), (1, .closed(written: true))], due: 3),
        Story(
            testDescription: "closed with settle 0: at once", settle: .zero,
            events: [(0, created), (0, .opened), (1, .closed(written: true))], due: 1),
        Story(
            testDescription: "created and never closed: never", events: [(0, created), (0, .opened)], due: nil
        ),
        Story(
            testDescription: "created and never closed with settle 0: never", settle: .zero,
            events: [(0, created), (0, .opened)], due: nil),
        Story(
            testDescription: "opened again before it was quiet: after the second close",
            events: [
                (0, created), (0, .opened), (0, .closed(written: true)), (1, .opened),
                (60, .closed(written: true)),
            ], due: 62),
        Story(
            testDescription: "five appends are one file",
            events: (0..<5).flatMap { turn -> [(Double, Settling.Event)] in
                let time = Double(turn)
                return [(time, .opened), (time, .closed(written: true))]
            }, due: 6),
        Story(
            testDescription: "a reader's close is not the writer's",
            events: [(0, created), (0, .opened), (1, .opened), (2, .closed(written: false))], due: nil),
        Story(
            testDescription:
                "a reader closed, and the events say that a writer must be left: it is asked for",
            events: [(0, created), (0, .opened), (1, .closed(written: false))], due: 3, needsProof: true),
        Story(
            testDescription: "read while quiet: quiet again",
            events: [
                (0, created), (0, .opened), (0, .closed(written: true)), (1, .opened),
                (1, .closed(written: false)),
            ], due: 3),
        Story(
            testDescription: "two writers: the first close is not the last; later it is asked for",
            events: [(0, created), (0, .opened), (1, .opened), (1, .closed(written: true))],
            due: 3,
            needsProof: true),
        Story(
            testDescription: "two writers, both closed",
            events: [
                (0, created), (0, .opened), (0, .opened), (1, .closed(written: true)),
                (2, .closed(written: true)),
            ], due: 4),
        Story(testDescription: "moved in: at once", events: [(5, .movedIn(cookie: 1))], due: 5),
        Story(testDescription: "linked: at once", events: [(5, .linked)], due: 5),
        Story(
            testDescription: "created by linkat, which nobody opens: when it stood still",
            events: [(5, created)],
            due: 7),
        Story(
            testDescription: "found by a scan: when it stood still", events: [(5, .scanned(look(3)))], due: 7),
        Story(
            testDescription: "found by a scan with settle 0: after a second", settle: .zero,
            events: [(5, .scanned(look(3)))], due: 6),
        Story(
            testDescription: "found twice with different looks: from the last look on",
            events: [(5, .scanned(look(3))), (6, .scanned(look(4)))], due: 8),
        Story(
            testDescription: "found twice with the same look: from the first look on",
            events: [(5, .scanned(look(3))), (6, .scanned(look(3)))], due: 7),
        Story(
            testDescription: "found, then its old writer closes: settle after the close",
            events: [(5, .scanned(look(3))), (6.5, .closed(written: true))], due: 8.5),
        Story(
            testDescription: "found while it is known to be open: not due",
            events: [(0, created), (0, .opened), (5, .scanned(look(3)))], due: nil),
        Story(
            testDescription: "deleted: never",
            events: [(0, created), (0, .opened), (0, .closed(written: true)), (1, .deleted)], due: nil),
        Story(
            testDescription: "moved out: never",
            events: [(5, .movedIn(cookie: 1)), (5, .movedOut(cookie: 2))],
            due: nil),
        Story(
            testDescription: "a reader of a file that nobody dropped: never due by its close alone",
            events: [(0, .closed(written: false))], due: nil),
    ]
}

@Suite struct `When a dropped file is whole` {
    @Test(arguments: Story.all) func `a file is due when its story says`(story: Story) throws {
        var bench = try Bench(settle: story.settle)
        for (time, event) in story.events { bench.hear(event, time) }
        guard let due = story.due else {
            #expect(bench.due(86_400).isEmpty)
            return
        }
        #expect(bench.due(due - 0.001).isEmpty)
        let found = bench.due(due)
        #expect(found.map(\.needsProof) == [story.needsProof])
        #expect(bench.due(86_400).isEmpty, "each file is due once")
    }

    @Test func `a file renamed in the directory keeps its writer`() throws {
        var bench = try Bench()
        let final = try #require(FileName("final"))
        bench.hear(Story.created, 0)
        bench.hear(.opened, 0)
        bench.hear(.movedOut(cookie: 9), 1)
        bench.settling.handle(.movedIn(cookie: 9), of: final, at: Bench.at(1))
        #expect(bench.due(86_400).isEmpty)
        bench.settling.handle(.closed(written: true), of: final, at: Bench.at(90_000))
        #expect(bench.due(90_002).map(\.name) == [final])
    }

    @Test func `a file renamed after its close is due under the new name at once`() throws {
        var bench = try Bench()
        let final = try #require(FileName("final"))
        for event in [Story.created, .opened, .closed(written: true), .movedOut(cookie: 9)] {
            bench.hear(event, 0)
        }
        bench.settling.handle(.movedIn(cookie: 9), of: final, at: Bench.at(0))
        #expect(bench.due(0).map(\.name) == [final])
        #expect(bench.settling.count == 0)
    }

    @Test func `a writer that the kernel knows of is asked for after 1, 2, 4 and at most 60 seconds`() throws
    {
        var bench = try Bench()
        bench.hear(.linked, 0)
        var time = 0.0
        for wait in [1.0, 2, 4, 8, 16, 32, 60, 60] {
            let candidate = try #require(bench.due(time).first)
            bench.settling.foundBusy(candidate, at: Bench.at(time))
            bench.hear(.opened, time)
            bench.hear(.closed(written: false), time)
            #expect(bench.due(time + wait - 0.001).isEmpty)
            time += wait
        }
        bench.hear(.closed(written: true), time)
        #expect(bench.due(time + 1.9).isEmpty)
        #expect(bench.due(time + 2).count == 1)
    }

    @Test func `a close that nobody can prove is believed after a minute without change`() throws {
        var bench = try Bench()
        for event in [Story.created, .opened, .opened, .closed(written: true)] { bench.hear(event, 0) }
        let candidate = try #require(bench.due(2).first)
        #expect(candidate.needsProof)
        bench.settling.unproven(candidate, look: look(3), at: Bench.at(2))
        bench.hear(.opened, 2)
        bench.hear(.closed(written: false), 2)
        bench.hear(.scanned(look(4)), 30)
        #expect(bench.due(89).isEmpty)
        let believed = try #require(bench.due(90).first)
        #expect(believed.expected == look(4))
        #expect(!believed.needsProof)
    }

    @Test func `after lost events nothing is known to be open or closed, and a scan decides`() throws {
        var bench = try Bench()
        for event in [Story.created, .opened] { bench.hear(event, 0) }
        bench.settling.eventsLost(at: Bench.at(10))
        bench.hear(.scanned(look(5)), 10)
        let candidate = try #require(bench.due(12).first)
        #expect(candidate.expected == look(5))
        #expect(candidate.needsProof)
    }

    @Test func `names that are due come in the order of their times, as many as are asked for`() throws {
        var settling = Settling(settle: .seconds(1))
        let names = try (0..<100).map { try #require(FileName("name \($0)")) }
        for (index, name) in names.enumerated().reversed() {
            settling.handle(.linked, of: name, at: Bench.at(Double(index)))
        }
        #expect(settling.nextDeadline == Bench.at(0))
        #expect(settling.takeDue(at: Bench.at(1000), limit: 30).map(\.name) == Array(names[..<30]))
        #expect(settling.takeDue(at: Bench.at(1000), limit: 100).map(\.name) == Array(names[30...]))
        #expect(settling.nextDeadline == nil)
    }

    @Test func `a file written to for hours leaves one place in the queue`() throws {
        var bench = try Bench()
        for turn in 0..<1000 {
            bench.hear(.opened, Double(turn))
            bench.hear(.closed(written: true), Double(turn))
            #expect(bench.due(Double(turn)).isEmpty)
        }
        #expect(bench.due(1001).count == 1)
        #expect(bench.settling.nextDeadline == nil)
    }
}
