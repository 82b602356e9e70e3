import Glibc
import TestServers
import Testing
import TransferModel
import TransferStore

@Suite struct OpeningTests {
    private func mode(_ path: FilePath) -> UInt32 {
        var status = stat()
        return path.withCString { stat($0, &status) } == 0 ? status.st_mode & 0o7777 : 0
    }

    @Test func `the daemon makes files that its group can write, whatever the umask says`() throws {
        let state = try StatePlaces()
        let before = umask(0o077)
        let table: JobTable
        do {
            defer { umask(before) }
            table = try state.daemon()
        }
        _ = try table.admit(Example.upload(key: "a"))
        #expect(mode(state.places.state) == 0o2770 && mode(state.places.intake) == 0o2770)
        for path in [state.places.jobTable, state.places.wake, state.places.lock] {
            #expect(mode(path) == 0o660, "\(path)")
        }
        for suffix in ["-wal", "-shm"] {
            #expect(mode(try Example.unwrap(FilePath(state.table + suffix))) == 0o660)
        }
    }

    @Test func `jobs survive the end of their process`() throws {
        let state = try StatePlaces()
        let id = try state.daemon().admit(Example.upload(key: "a"))
        #expect(try state.daemon().found(id).idempotencyKey == "a")
    }

    @Test func `a second daemon is refused and names the first`() throws {
        let state = try StatePlaces()
        let first = try state.daemon()
        let error = storeError { try state.daemon() }
        guard case .unusable(let text) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(text.contains("process \(getpid())"))
        withExtendedLifetime(first) {}
    }

    @Test func `the lock goes with the daemon's table and clients see it`() throws {
        let state = try StatePlaces()
        var daemon: JobTable? = try state.daemon()
        let client = try state.client()
        #expect(client.isDaemonRunning && daemon?.isDaemonRunning == true)
        daemon = nil
        #expect(!client.isDaemonRunning)
        #expect(throws: Never.self) { try state.daemon() }
    }

    @Test func `a client makes the table in a directory of its own, as the daemon would`() throws {
        let state = try StatePlaces()
        try state.directory.makeDirectory("state")
        let client = try state.client()
        _ = try client.admit(Example.upload(key: "a"))
        #expect(mode(state.places.jobTable) == 0o660 && mode(state.places.wake) == 0o660)
        #expect(mode(state.places.intake) == 0o2770)
        #expect(try state.daemon().counts() == [.queued: 1])
    }

    @Test func `a client makes no state directory`() throws {
        let state = try StatePlaces()
        let error = storeError { try state.client() }
        #expect(error?.description.contains("there is no directory") == true)
        #expect(!TestFile.exists(state.places.state.description))
    }

    @Test(.enabled(if: geteuid() == 0))
    func `a client makes no table in another user's directory`() throws {
        let state = try StatePlaces()
        let path = try state.directory.makeDirectory("state")
        chown(path, 12_345, 12_345)
        let error = storeError { try state.client() }
        #expect(error?.description.contains("belongs to another user") == true)
        #expect(!TestFile.exists(state.table))
    }

    @Test func `a table of another version is refused in words by both`() async throws {
        let state = try StatePlaces()
        _ = try state.daemon()
        try await state.sqlite3("PRAGMA user_version = 99")
        let client = storeError { try state.client() }
        #expect(client?.description.contains("is of version 99, this transferctl speaks ") == true)
        let daemon = storeError { try state.daemon() }
        #expect(daemon?.description.contains("is of version 99, this transferd speaks ") == true)
        #expect(try await state.sqlite3("PRAGMA user_version") == "99\n")
    }

    @Test(arguments: [
        "DROP INDEX jobs_claims", "ALTER TABLE jobs ADD COLUMN colour TEXT", "CREATE TABLE extra (x)",
        "DROP TRIGGER jobs_changed",
    ])
    func `a table whose schema was changed is refused`(script: String) async throws {
        let state = try StatePlaces()
        _ = try state.daemon()
        try await state.sqlite3(script)
        #expect(storeError { try state.daemon() }?.description.contains("was changed") == true)
    }

    @Test func `what analyze leaves does not count as a change`() async throws {
        let state = try StatePlaces()
        _ = try state.daemon().admit(Example.upload(key: "a"))
        try await state.sqlite3("ANALYZE; VACUUM")
        #expect(throws: Never.self) { try state.daemon() }
    }

    @Test(arguments: [
        [], Array("this is no database, however long it may be".utf8), [UInt8](repeating: 7, count: 8_192),
    ])
    func `a file that is no job table is refused and stays as it was`(content: [UInt8]) throws {
        let state = try StatePlaces()
        try state.directory.makeDirectory("state")
        try TestFile.write(content, to: state.table)
        for error in [storeError { try state.daemon() }, storeError { try state.client() }] {
            guard case .unusable(let text) = error else {
                Issue.record("\(String(describing: error))")
                return
            }
            #expect(text.contains(state.table) && !text.contains("\n"))
        }
        #expect(try TestFile.read(state.table) == content)
    }

    @Test func `another program's database is refused`() async throws {
        let state = try StatePlaces()
        try state.directory.makeDirectory("state")
        try await state.sqlite3("CREATE TABLE jobs (id)")
        #expect(storeError { try state.daemon() }?.description.contains("not a job table") == true)
    }

    @Test func `a damaged table is refused`() throws {
        let state = try StatePlaces()
        _ = try state.daemon().admit(Example.upload(key: "a"))
        var content = try TestFile.read(state.table)
        for index in 100..<4_000 { content[index] = 0xa5 }
        try TestFile.write(content, to: state.table)
        guard case .unusable(let text) = storeError({ try state.daemon() }) else {
            Issue.record("a damaged table was opened")
            return
        }
        #expect(text.contains("damaged"))
    }

    @Test func `a table that is gone while its log is there is not made anew`() throws {
        let state = try StatePlaces()
        try state.directory.makeDirectory("state")
        try TestFile.write([1, 2, 3], to: state.table + "-wal")
        #expect(storeError { try state.daemon() }?.description.contains("put the table back") == true)
        #expect(!TestFile.exists(state.table))
    }

    @Test func `a creation that was cut off is begun again`() throws {
        let state = try StatePlaces()
        try state.directory.makeDirectory("state")
        try TestFile.write([UInt8](repeating: 1, count: 100), to: state.table + ".new")
        try TestFile.write([UInt8](repeating: 1, count: 100), to: state.table + ".new-wal")
        #expect(throws: Never.self) { try state.daemon() }
    }

    @Test func `the paths of spool jobs are found without reading the jobs`() throws {
        let state = try StatePlaces()
        let table = try state.daemon()
        let id = try table.admit(Example.upload(key: "one"))
        _ = try table.admit(Example.upload(key: "two"))
        _ = try table.admit(Example.form(key: "intake"))
        let paths = Set(["one", "two"].compactMap { FilePath($0) })
        #expect(try table.spoolPaths() == paths)
        #expect(try table.spoolJobs(at: try Example.unwrap(FilePath("one"))).map(\.id) == [id])
        _ = try table.request(.cancel, of: id, at: Example.now)
        try table.commit(.disposed(id, nil))
        #expect(try table.spoolPaths().count == 1)
    }
}
