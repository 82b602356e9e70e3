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
    }

    private struct State {
        var work: Work?
        /// How many lanes to each origin it is worth, besides the job's own.
        var helpers: [Origin: Int] = [:]
        /// Another server than the job's has brought some of it.
        var isMixed = false
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
    func open(_ work: Work, _ helpers: [Origin: Int]) -> Work? {
        state.withLock { state in
            guard !state.isBroken else { return state.work }
            state.work = work
            state.helpers = helpers.filter { $0.value > 0 }
            return work
        }
    }

    /// How many lanes to each origin may take part.
    var helpers: [Origin: Int] { state.withLock { $0.work == nil ? [:] : $0.helpers } }

    /// Whether bytes of several servers have come together.
    var isMixed: Bool { state.withLock { $0.isMixed } }

    func noteMixture() { state.withLock { $0.isMixed = true } }

    /// Lanes to `origin` take part no more. Returns whether that is news.
    func exclude(_ origin: Origin) -> Bool {
        state.withLock { $0.helpers.removeValue(forKey: origin) != nil }
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
