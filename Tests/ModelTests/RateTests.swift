import Testing
import TransferModel

@Suite struct Rates {
    private static func time(_ milliseconds: Int) -> MonotonicTime {
        MonotonicTime(rawValue: .milliseconds(milliseconds))
    }

    @Test(arguments: [("300000", 300_000), ("500K", 512_000), ("2M", 2 << 20), ("1g", 1 << 30)])
    func `a rate is a number with a unit`(text: String, bytes: Int) throws {
        #expect(Rate(text)?.bytesPerSecond == Int64(bytes))
        #expect(Rate("\(try #require(Rate(text)))") == Rate(text))
    }

    @Test(arguments: ["", "0", "K", "-1", "1.5M", "2MB", "99999999999G"])
    func `anything else is none`(text: String) {
        #expect(Rate(text) == nil)
    }

    @Test func `over a while no more moves than the rate allows, and no less`() {
        var bucket = TokenBucket(rate: Rate(bytesPerSecond: 100_000))
        var moved = 0
        var now = 1_000
        while now < 11_000 {
            let wait = bucket.wait(now: Self.time(now))
            if wait == .zero {
                bucket.take(16_384, now: Self.time(now))
                moved += 16_384
            } else {
                now += Int(wait.components.seconds) * 1_000
                now += Int(wait.components.attoseconds / 1_000_000_000_000_000)
            }
        }
        #expect((990_000...1_040_000).contains(moved))
    }

    @Test func `a rest is not saved up`() {
        var bucket = TokenBucket(rate: Rate(bytesPerSecond: 100_000))
        bucket.take(0, now: Self.time(0))
        bucket.take(20_000, now: Self.time(60_000))
        #expect(bucket.wait(now: Self.time(60_000)) == .milliseconds(100))
    }

    @Test func `another rate holds at once, and what was owed is forgotten`() {
        var bucket = TokenBucket(rate: Rate(bytesPerSecond: 10))
        bucket.take(100_000, now: Self.time(1_000))
        bucket.rate = nil
        #expect(bucket.wait(now: Self.time(1_000)) == .zero)
        bucket.rate = Rate(bytesPerSecond: 1_000)
        #expect(bucket.wait(now: Self.time(1_000)) == .zero)
    }
}
