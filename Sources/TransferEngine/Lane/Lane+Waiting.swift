internal import Synchronization
internal import TransferModel

extension Lane {
    /// Waits until the function that `begin` is given is called, once, from any queue; a stop ends the wait at once.
    func wait<Value: Sendable>(
        _ begin: (@escaping @Sendable (Value) -> Void) -> Void
    ) async throws(Stop) -> Value {
        try checkStop()
        let value = await withCheckedContinuation { (continuation: CheckedContinuation<Value?, Never>) in
            let once = OnceOnly(continuation)
            breakWait = { once.resume(nil) }
            begin { once.resume($0) }
        }
        breakWait = nil
        guard let value else {
            try checkStop()
            throw .interrupted
        }
        return value
    }

    /// How long a lane waits for a commit itself, in milliseconds: coming back later costs two changes of threads.
    static let shortWait = 20

    /// Goes on when `licence` is granted.
    func wait(for licence: Licence) async throws(Stop) {
        guard !licence.wait(for: Self.shortWait) else { return try checkStop() }
        try await wait { (done: @escaping @Sendable (()) -> Void) in licence.onGrant { done(()) } }
    }

    /// Runs `work` on a disk queue and goes on with its result; a stop leaves it to end there by itself.
    ///
    /// `unlessQuick`: it waits for no disk, and nothing else is under way there: the lane does it itself.
    func onDisk<Value: Sendable>(
        _ disk: DiskQueue, unlessQuick isQuick: Bool = false,
        _ work: @escaping @Sendable () throws(Failure) -> Value
    ) async throws -> Value {
        if isQuick {
            try checkStop()
            return try work()
        }
        let result: Result<Value, Failure> = try await wait { done in
            disk.run { done(Result(catching: work)) }
        }
        return try result.get()
    }

    /// Goes on after `time`.
    func pause(for time: Duration) async throws(Stop) {
        try await wait { (done: @escaping @Sendable (()) -> Void) in
            setAlarm(.pause, after: time) { done(()) }
        }
        alarms?.clear(.pause)
    }

    /// Calls `action` on the lane after `time`, unless ``forgetReminder()`` comes first.
    func remind(after time: Duration, _ action: @escaping () -> Void) {
        setAlarm(.reminder, after: time, action)
    }

    func forgetReminder() {
        alarms?.clear(.reminder)
        alarmActions[.reminder] = nil
    }

    func setAlarm(_ alarm: LaneAlarms.Alarm, after time: Duration, _ action: @escaping () -> Void) {
        let (_, alarms) = opened()
        alarmActions[alarm] = action
        alarms.set(alarm, after: time)
    }

    private func checkStall() {
        guard let silence = loop?.checkStall(originSettings.stallTimeout), let assignment else { return }
        report(
            .notice(
                severity: 6,
                text:
                    "job \(assignment.job.id): no byte moved for \(silence.time.components.seconds) s while "
                    + "\(silence.step.rawValue); it is given up after \(silence.limit.components.seconds) s"))
    }

    private func lookAtBody() {
        guard loop?.lookAtBody() == true, let assignment else { return }
        report(
            .notice(
                severity: 7,
                text: "job \(assignment.job.id): bytes were there that nobody had been woken for"))
    }

    func alarmsFired() {
        for alarm in alarms?.takeDue() ?? [] {
            switch alarm {
            case .curl: loop?.timeoutReached()
            case .nudge: loop?.nudgeDue()
            case .stall: checkStall()
            case .look: lookAtBody()
            case .idle, .pause, .reminder, .rate: alarmActions.removeValue(forKey: alarm)?()
            }
        }
    }
}

/// A continuation that several may resume and the first one does.
final class OnceOnly<Value: Sendable>: Sendable {
    private let continuation: Mutex<CheckedContinuation<Value?, Never>?>

    init(_ continuation: CheckedContinuation<Value?, Never>) { self.continuation = Mutex(continuation) }

    func resume(_ value: Value?) {
        continuation.withLock { held in
            let first = held
            held = nil
            return first
        }?.resume(returning: value)
    }
}
