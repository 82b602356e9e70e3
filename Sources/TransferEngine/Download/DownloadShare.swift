internal import Synchronization
internal import TransferModel

/// What the lanes that fetch one file together have in common; the job's own lane opens and closes it. From any queue.
public final class DownloadShare: Sendable {
    /// A file of which parts can be fetched.
    struct Work: Sendable {
        let place: DownloadPlace
        let file: DownloadFile
        /// The version that every part has to be of.
        let known: Checkpoint.Validator
        /// How many connections it is worth.
        let connections: Int
    }

    private struct State {
        var work: Work?
        /// The server did not keep its word: one connection fetches the rest.
        var isBroken = false
        var changes = 0
        var wake: (@Sendable () -> Void)?
    }

    private let state = Mutex(State())

    public init() {}

    /// nil while there is nothing to take part in.
    var work: Work? { state.withLock { $0.work } }

    /// What is open now; nothing once the server broke its word.
    func open(_ work: Work) -> Work? {
        state.withLock { state in
            if !state.isBroken { state.work = work }
            return state.work
        }
    }

    /// Nobody takes part from now on; those who do find that out at their next byte.
    func close() { state.withLock { $0.work = nil } }

    /// The server does not keep its word. Returns whether that is news.
    func breakUp() -> Bool {
        let isNews = state.withLock { state in
            state.work?.file.keepTogether()
            state.work = nil
            defer { state.isBroken = true }
            return !state.isBroken
        }
        noteChange()
        return isNews
    }

    // MARK: Waiting for others

    /// Counts what others did; for ``wake(after:_:)``.
    var changes: Int { state.withLock { $0.changes } }

    /// A lane is done with a part.
    func noteChange() {
        let wake = state.withLock { state in
            state.changes += 1
            defer { state.wake = nil }
            return state.wake
        }
        wake?()
    }

    /// Calls `wake` once, when something has changed since `changes` was read; one waits at a time.
    func wake(after changes: Int, _ wake: @escaping @Sendable () -> Void) {
        let isOver = state.withLock { state in
            guard state.changes == changes else { return true }
            state.wake = wake
            return false
        }
        if isOver { wake() }
    }
}
