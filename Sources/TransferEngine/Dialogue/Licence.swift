internal import Dispatch
internal import Synchronization

/// That something was recorded which has to be durable before the next step, but not before what leads up to it.
///
/// Granted once, from any queue.
final class Licence: Sendable {
    private struct State {
        var isGranted = false
        var waiting: (@Sendable () -> Void)?
    }

    private let state = Mutex(State())

    var isGranted: Bool { state.withLock { $0.isGranted } }

    func grant() {
        let waiting = state.withLock { state in
            state.isGranted = true
            defer { state.waiting = nil }
            return state.waiting
        }
        waiting?()
    }

    /// Has `action` called when it is granted, at once when it is; one at a time.
    func onGrant(_ action: @escaping @Sendable () -> Void) {
        let isGranted = state.withLock { state in
            if !state.isGranted { state.waiting = action }
            return state.isGranted
        }
        if isGranted { action() }
    }

    /// Waits for it, blocking, so many milliseconds at most; whether it is granted.
    func wait(for milliseconds: Int) -> Bool {
        let semaphore = DispatchSemaphore(value: 0)
        let isGranted = state.withLock { state in
            if !state.isGranted { state.waiting = { semaphore.signal() } }
            return state.isGranted
        }
        return isGranted || semaphore.wait(timeout: .now() + .milliseconds(milliseconds)) == .success
    }
}
