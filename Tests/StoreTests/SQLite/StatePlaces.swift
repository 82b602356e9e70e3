import TestServers
import Testing
import TransferModel
import TransferStore

/// A state directory of its own for one test, and job tables in it.
final class StatePlaces {
    let directory: TemporaryDirectory
    let places: Places

    init() throws {
        directory = try TemporaryDirectory(label: "store")
        places = Places(below: try Example.unwrap(FilePath(directory.appending("state"))))
    }

    func daemon() throws -> JobTable { try JobTable.openForDaemon(places) }

    func client(busyTimeout: Duration = .seconds(5)) throws -> JobTable {
        try JobTable.openForClient(places, busyTimeout: busyTimeout)
    }

    var table: String { places.jobTable.description }

    /// Runs a script with the sqlite3 program.
    @discardableResult
    func sqlite3(_ script: String) async throws -> String {
        let done = try await ChildProcess.run(["sqlite3", "-batch", table], input: Array(script.utf8))
        #expect(done.succeeded, "\(done.errorText)")
        return done.text
    }

    /// A sqlite3 program that stays after `script` until it is killed; it waits for the locks it needs.
    func holding(_ script: String) throws -> ChildProcess {
        let input = "(printf '.timeout 60000\\n%s\\n' '\(script)'; sleep 600)"
        return try ChildProcess.spawn(["sh", "-c", "\(input) | sqlite3 -batch \(table)"])
    }
}

extension JobStoreKind {
    static let sqlite = JobStoreKind(name: "SQLite") {
        let state = try StatePlaces()
        return OpenStore(try state.daemon(), another: { try state.client() })
    }
}

/// The error that `body` throws; nil when it throws none.
func storeError(_ body: () throws -> some Any) -> StoreError? {
    do {
        _ = try body()
        return nil
    } catch {
        return error as? StoreError
    }
}
