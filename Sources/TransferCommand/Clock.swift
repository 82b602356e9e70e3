internal import Glibc
internal import TransferModel

/// The clocks of this machine, and waiting by them.
enum Clock {
    static func now() -> Timestamp {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Timestamp(rawValue: Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000)
    }

    /// Goes on while the machine sleeps.
    static func monotonic() -> MonotonicTime {
        var time = timespec()
        clock_gettime(CLOCK_BOOTTIME, &time)
        return MonotonicTime(rawValue: .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec))
    }

    /// Returns early when a signal comes.
    static func pause(_ wait: Duration) {
        var time = specification(wait)
        nanosleep(&time, nil)
    }

    static func specification(_ wait: Duration) -> timespec {
        let milliseconds = max(0, wait.wholeMilliseconds)
        return timespec(tv_sec: Int(milliseconds / 1000), tv_nsec: Int(milliseconds % 1000) * 1_000_000)
    }
}
