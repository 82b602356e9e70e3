import Dispatch
import Glibc
import TransferModel

/// Reads the two clocks; nothing else in the daemon does.
struct Clock: Sendable {
    /// The clock that waits and Dispatch timers run on (CLOCK_MONOTONIC).
    var now: MonotonicTime {
        MonotonicTime(rawValue: .nanoseconds(Int64(DispatchTime.now().uptimeNanoseconds)))
    }

    var wall: Timestamp {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Timestamp(rawValue: Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000)
    }

    /// When a stored time comes, as far as an hour: a longer wait is looked at again then, so that a clock that was
    /// set can delay nothing for longer.
    func monotonic(_ time: Timestamp) -> MonotonicTime {
        now + min(max(time.since(wall), .zero), .seconds(3600))
    }
}

extension Clock {
    /// When a waited-for time will be, by the wall clock as it is now.
    func wall(_ time: MonotonicTime) -> Timestamp { wall + time.since(now) }
}

extension DispatchTime {
    init(_ time: MonotonicTime) {
        let nanoseconds = time.rawValue / .nanoseconds(1)
        self.init(uptimeNanoseconds: UInt64(max(nanoseconds, 1)))
    }
}
