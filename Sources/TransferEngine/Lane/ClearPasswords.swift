internal import Synchronization
internal import TransferModel

/// The origins whose clear passwords were warned about, so that each is once in a run of the daemon.
enum ClearPasswords {
    private static let known = Mutex<Set<Origin>>([])

    static func isNew(_ origin: Origin) -> Bool { known.withLock { $0.insert(origin).inserted } }
}
