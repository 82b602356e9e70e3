internal import Dispatch
internal import TransferModel

/// The times at which a lane has something to do, all on one Dispatch timer. Used on the lane's queue.
///
/// The timer is set only to an earlier time, never to a later one: a fire that finds nothing due sets it again. libcurl
/// moves its timeout several times in each transfer, and nearly always away.
final class LaneAlarms {
    enum Alarm: Int, CaseIterable {
        /// libcurl's own timeout.
        case curl
        /// The next look at a transfer that seems to hang.
        case nudge
        case stall
        /// The next look at a body that may have been forgotten.
        case look
        case idle
        /// The worker waits for time to pass.
        case pause
        case reminder
        /// Something may move again at the job's rates.
        case rate
    }

    private let timer: any DispatchSourceTimer
    private var deadlines = [UInt64?](repeating: nil, count: Alarm.allCases.count)
    private var armed = UInt64.max

    /// Nanoseconds on the clock of the deadlines.
    static var now: UInt64 { DispatchTime.now().uptimeNanoseconds }

    /// `fire` is called on `queue` and should ask for ``takeDue()``.
    init(queue: DispatchQueue, fire: @escaping @Sendable () -> Void) {
        timer = DispatchSource.makeTimerSource(queue: queue)
        timer.setEventHandler(handler: fire)
        timer.schedule(deadline: .distantFuture)
        timer.activate()
    }

    deinit { timer.cancel() }

    func set(_ alarm: Alarm, after wait: Duration) {
        let (seconds, attoseconds) = wait.components
        let nanoseconds =
            UInt64(max(0, seconds)) * 1_000_000_000 + UInt64(max(0, attoseconds) / 1_000_000_000)
        set(alarm, at: Self.now + nanoseconds)
    }

    func set(_ alarm: Alarm, at deadline: UInt64) {
        deadlines[alarm.rawValue] = deadline
        arm(deadline)
    }

    func clear(_ alarm: Alarm) { deadlines[alarm.rawValue] = nil }

    func deadline(_ alarm: Alarm) -> UInt64? { deadlines[alarm.rawValue] }

    /// The alarms whose time has come, cleared; the timer is set to the next of the others.
    func takeDue() -> [Alarm] {
        armed = .max
        let now = Self.now
        let due = Alarm.allCases.filter { alarm in deadlines[alarm.rawValue].map { $0 <= now } ?? false }
        for alarm in due { deadlines[alarm.rawValue] = nil }
        if let next = deadlines.compactMap({ $0 }).min() { arm(next) }
        return due
    }

    private func arm(_ deadline: UInt64) {
        guard deadline < armed else { return }
        armed = deadline
        timer.schedule(deadline: DispatchTime(uptimeNanoseconds: deadline), leeway: .nanoseconds(0))
    }
}
