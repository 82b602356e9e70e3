import Testing
import TransferModel

@testable import TransferCommand

@Suite("Times as a person writes them")
struct MomentSuite {
    @Test(arguments: [
        ("1970-01-01T00:00:00Z", 0), ("2031-05-28T14:30:00Z", 1_937_745_000_000),
        ("2031-05-28t14:30:00.25z", 1_937_745_000_250), ("2031-05-28 14:30:00+02:00", 1_937_737_800_000),
        ("2031-05-28T14:30-00:30", 1_937_746_800_000), ("2032-02-29T00:00:00Z", 1_961_625_600_000),
    ])
    func `a time with a zone is the same everywhere`(text: String, milliseconds: Int64) {
        #expect(Moment(text) == .at(Timestamp(rawValue: milliseconds)))
    }

    @Test(arguments: ["2031-05-28 14:30:07", "2032-01-01 00:00:00"])
    func `a time without a zone is local and comes back as it was`(text: String) throws {
        guard case .at(let time) = try #require(Moment(text)) else { return }
        #expect(TimeText.local(time) == text)
    }

    @Test func `a day alone begins at midnight, seconds may be left out`() {
        #expect(Moment("2031-05-28") == Moment("2031-05-28 00:00"))
        #expect(Moment("2031-05-28 00:00") == Moment("2031-05-28T00:00:00"))
    }

    @Test func `a plus sign counts from now`() throws {
        let now = Timestamp(rawValue: 1000)
        #expect(Moment("+1h30m")?.timestamp(from: now) == Timestamp(rawValue: 5_401_000))
    }

    @Test(arguments: [
        "", "+", "+5x", "tomorrow", "2031-02-29", "2031-13-01", "2031-00-01", "2031-05-28 24:00",
        "2031-05-28 12:60",
        "2031-05-28T12:00:00Q", "2031-05-28T12:00:00Z ", "31-05-28", "2031-5-28", "2031-05-28T",
        "2031-05-28 12:00:00.",
    ])
    func `anything else is none`(text: String) { #expect(Moment(text) == nil) }

    @Test func `times are shown as RFC 3339 in UTC with milliseconds`() {
        #expect(TimeText.rfc3339(Timestamp(rawValue: 1_937_745_000_007)) == "2031-05-28T14:30:00.007Z")
        #expect(TimeText.rfc3339(Timestamp(rawValue: -1)) == "1969-12-31T23:59:59.999Z")
    }

    @Test func `a job waits for its day and then has its whole lifetime`() throws {
        let now = Timestamp(rawValue: 1000)
        var options = OrderOptions()
        #expect(try Enqueue.Times(options, lifetime: .seconds(10), now: now).expiresAt.rawValue == 11_000)
        options.notBefore = .after(.seconds(100))
        #expect(try Enqueue.Times(options, lifetime: .seconds(10), now: now).expiresAt.rawValue == 111_000)
        options.expires = .after(.seconds(50))
        #expect(throws: CommandError.self) { try Enqueue.Times(options, lifetime: .seconds(10), now: now) }
        options = OrderOptions(expires: .at(now))
        #expect(throws: CommandError.self) { try Enqueue.Times(options, lifetime: .seconds(10), now: now) }
    }
}
