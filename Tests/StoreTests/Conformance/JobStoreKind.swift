import Testing
import TransferModel

/// A kind of job store that the conformance suite is run against. Another store is added to ``all``.
struct JobStoreKind: Sendable, CustomTestStringConvertible {
    let name: String
    /// Opens an empty store for the daemon, alone.
    let open: @Sendable () throws -> OpenStore

    var testDescription: String { name }

    static let all: [JobStoreKind] = [.sqlite]
}

/// An open store and the way to a second one on the same jobs, as another process has it.
final class OpenStore {
    let store: any JobStore
    private let openAnother: () throws -> any JobStore

    init(_ store: any JobStore, another: @escaping () throws -> any JobStore) {
        self.store = store
        openAnother = another
    }

    func another() throws -> any JobStore { try openAnother() }
}
