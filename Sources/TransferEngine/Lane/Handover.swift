internal import Dispatch
internal import Synchronization

/// Where a lane that has just ended a small job waits a moment for the next one: taking it so costs half of what it does to
/// give the thread back and have the queue called again.
final class Handover: Sendable {
    private struct State {
        var isOpen = false
        var given: Assignment?
    }

    private let state = Mutex(State())
    private let semaphore = DispatchSemaphore(value: 0)

    /// From now on, until ``take(within:)`` returns, what is given is kept for it: the lane is about to say that it is free,
    /// and what follows may be there before it waits.
    func open() { state.withLock { $0.isOpen = true } }

    /// Hands the assignment over; false when the lane does not look for one here.
    func give(_ assignment: Assignment) -> Bool {
        let isTaken = state.withLock { state in
            guard state.isOpen else { return false }
            state.isOpen = false
            state.given = assignment
            return true
        }
        if isTaken { semaphore.signal() }
        return isTaken
    }

    /// Waits, blocking, so many milliseconds at most; on the lane's queue, after ``open()``.
    func take(within milliseconds: Int) -> Assignment? {
        let isLate = semaphore.wait(timeout: .now() + .milliseconds(milliseconds)) == .timedOut
        let given = state.withLock { state in
            state.isOpen = false
            defer { state.given = nil }
            return state.given
        }
        // It came in the last moment, with a signal that must not be left for the next wait.
        if isLate, given != nil { semaphore.wait() }
        return given
    }
}
