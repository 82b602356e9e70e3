import Testing
import TransferModel

@testable import TransferCommand

@Suite("Amounts for a person")
struct AmountSuite {
    @Test(arguments: [
        (0, "0"), (1023, "1023"), (1024, "1K"), (1536, "1.5K"), (10_240, "10K"), (10_700, "10K"),
        (1_048_575, "1023K"), (1_048_576, "1M"), (1 << 40, "1T"), (Int.max, "819P"),
    ])
    func `sizes are short and rounded down`(bytes: Int, text: String) {
        #expect(Amount.size(ByteCount(bytes)) == text)
    }

    @Test(arguments: [
        (-5, "0s"), (0, "0s"), (59, "59s"), (60, "1m"), (95, "1m35s"), (600, "10m"), (3600, "1h"),
        (4860, "1h21m"),
        (90_000, "1d1h"), (864_000, "10d"),
    ])
    func `durations have at most two units`(seconds: Int, text: String) {
        #expect(Amount.duration(.seconds(seconds)) == text)
    }

    @Test func `a hundred percent is all of it`() {
        #expect(Amount.percent(ByteCount(999_999), of: ByteCount(1_000_000)) == "99%")
        #expect(Amount.percent(ByteCount(5), of: ByteCount(5)) == "100%")
        #expect(Amount.percent(ByteCount(9), of: ByteCount(5)) == "100%")
        #expect(Amount.percent(ByteCount(5), of: nil) == nil)
        #expect(Amount.percent(.zero, of: .zero) == nil)
    }

    @Test func `a speed tells how long the rest takes`() throws {
        let speed = try #require(Speed(moved: ByteCount(4096), within: .seconds(2)))
        #expect(speed.text == "2K/s")
        #expect(speed.time(for: ByteCount(4097)) == .seconds(3))
        #expect(Speed(moved: .zero, within: .seconds(2)) == nil)
        #expect(Speed(moved: ByteCount(10), within: .zero) == nil)
    }

    @Test func `a look without news keeps the speed for a while`() throws {
        var meter = SpeedMeter()
        let start = MonotonicTime(rawValue: .seconds(10))
        let running = JobState.running(since: Timestamp(rawValue: 0))
        #expect(meter.speed(of: try .sample(state: running, offset: 0), at: start) == nil)
        let moved = try Job.sample(state: running, offset: 2048)
        #expect(meter.speed(of: moved, at: start + .seconds(2))?.text == "1K/s")
        #expect(meter.speed(of: moved, at: start + .seconds(3))?.text == "1K/s")
        #expect(meter.speed(of: moved, at: start + .seconds(7)) == nil)
        #expect(meter.speed(of: try .sample(state: .held(.byRequest)), at: start + .seconds(8)) == nil)
    }

    @Test func `a bar is full when all of it is there`() {
        let bar = ProgressBar(width: 4, isUnicode: true)
        #expect(bar.text(0) == "    ")
        #expect(bar.text(0.5) == "██  ")
        #expect(bar.text(0.53125) == "██▏ ")
        #expect(bar.text(1) == "████")
        #expect(bar.text(nil) == "····")
        #expect(ProgressBar(width: 4, isUnicode: false).text(0.9) == "[### ]")
        #expect(ProgressBar(width: 4, isUnicode: false).text(nil) == "[....]")
    }
}
