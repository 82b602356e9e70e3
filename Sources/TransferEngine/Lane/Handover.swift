internal import Dispatch
internal import Synchronization

/// Where a lane that has just ended a small job waits a moment for the next one: taking it so costs half of what it does to
/// give the thread back and have the queue called again.
final class Handover: Sendable {
    private struct State {
        var isAwaited = false
        var given: Assignment?
    }

    private let state = Mutex(State())
    private let semaphore = DispatchSemaphore(value: 0)

    /// Hands the assignment over; false when nobody waits for one.
    func give(_ assignment: Assignment) -> Bool {
        let isTaken = state.withLock { state in
            guard state.isAwaited else { return false }
            state.isAwaited = false
            state.given = assignment
            return true
        }
        if isTaken { semaphore.signal() }
        return isTaken
    }

    /// Waits, blocking, so many milliseconds at most; on the lane's queue.
    func take(within milliseconds: Int) -> Assignment? {
        state.withLock { $0.isAwaited = true }
        let isLate = semaphore.wait(timeout: .now() + .milliseconds(milliseconds)) == .timedOut
        let given = state.withLock { state in
            state.isAwaited = false
            defer { state.given = nil }
            return state.given
        }
        // It came in the last moment, with a signal that must not be left for the next wait.
        if isLate, given != nil { semaphore.wait() }
        return given
    }
}
