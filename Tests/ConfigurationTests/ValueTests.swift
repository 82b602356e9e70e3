import Testing
import TransferModel

@testable import TransferConfiguration

@Suite struct ValueTests {
    @Test(arguments: [
        ("5m30s", 330_000), ("500ms", 500), ("2d", 172_800_000), ("1w", 604_800_000), ("1h1ms", 3_600_001),
        ("0", 0),
        ("0s", 0), ("3650d", 315_360_000_000),
    ])
    func `a duration is read`(text: String, milliseconds: Int64) {
        #expect(DurationText.read(text) == .milliseconds(milliseconds))
    }

    @Test(arguments: [
        "", "5", "s", "5x", "-5s", "5 s", "1.5s", "30s5m", "5s5s", "3651d", "99999999999999999999s",
        "9223372036854775807w", "٣s", "5S",
    ])
    func `what is no duration is refused`(text: String) {
        #expect(DurationText.read(text) == nil)
    }

    @Test(arguments: [(330_000, "5m30s"), (0, "0"), (604_800_000, "7d"), (90_000_500, "1d1h500ms")])
    func `a duration is written as short as it can be read`(milliseconds: Int64, text: String) {
        #expect(DurationText.write(.milliseconds(milliseconds)) == text)
        #expect(DurationText.read(text) == .milliseconds(milliseconds))
    }

    @Test(arguments: [
        ("lanse", "lanes"), ("idletimeout", "idle_timeout"), ("EXPIRES", "expires"), ("zzzzz", nil),
        ("", nil),
    ])
    func `the nearest name is found or none`(name: String, nearest: String?) {
        #expect(NearestName.of(name, among: GeneralSection.keys.map(\.name)) == nearest)
    }
}
