internal import Synchronization
import TransferModel

/// What the settings say of each origin, looked up once: every job asks several times, and each look goes through all
/// sections and routes. Safe from every queue.
final class OriginSettingsMemo: Sendable {
    private let settings: Settings
    private let known = Mutex<[Origin: OriginSettings]>([:])

    init(_ settings: Settings) { self.settings = settings }

    subscript(origin: Origin) -> OriginSettings {
        known.withLock { known in
            if let found = known[origin] { return found }
            let found = settings.settings(for: origin)
            // Addresses come from whoever enqueues: their number has no bound.
            if known.count >= Self.most { known.removeAll(keepingCapacity: true) }
            known[origin] = found
            return found
        }
    }

    private static let most = 1_024
}
