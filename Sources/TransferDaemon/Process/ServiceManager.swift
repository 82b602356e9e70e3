import CSystemd
import Glibc
import TransferModel

/// Tells systemd how the service is; does nothing when it was started otherwise. Source: sd_notify(3).
struct ServiceManager: Sendable {
    /// Half of what the unit's WatchdogSec= allows; nil without a watchdog.
    let watchdogInterval: Duration?

    init() {
        var microseconds: UInt64 = 0
        let isWatched = sd_watchdog_enabled(0, &microseconds) > 0
        watchdogInterval = isWatched ? .microseconds(Int64(microseconds / 2)) : nil
    }

    func ready() { notify("READY=1") }
    func stopping() {
        notify("STOPPING=1\nSTATUS=Stopping: running transfers are put down where they can go on")
    }
    func reloading(at now: MonotonicTime) {
        notify("RELOADING=1\nMONOTONIC_USEC=\(now.rawValue / .microseconds(1))")
    }
    func alive() { notify("WATCHDOG=1") }
    func status(_ sentence: String) { notify("STATUS=\(sentence)") }

    private func notify(_ state: String) { sd_notify(0, state) }
}
