import TestServers
import Testing
import TransferModel

@testable import TransferStore

/// A table of an earlier version becomes one of this version, with all that is in it.
@Suite struct MigrationTests {
    /// A table of version 2 whose rows `script` made; opened by the daemon then.
    private func migrated(_ state: StatePlaces, _ script: String) throws -> JobTable {
        try state.directory.makeDirectory("state")
        try TableFiles.makeFile(state.places.jobTable)
        let connection = try SQLiteConnection(.empty(state.places.jobTable))
        try connection.execute("PRAGMA journal_mode = WAL; PRAGMA foreign_keys = OFF")
        try connection.execute("PRAGMA application_id = \(JobTableSchema.applicationID)")
        for sql in JobTableSchema.migrations.prefix(2) { try connection.execute(sql) }
        try connection.execute("PRAGMA user_version = 2")
        try connection.execute(script)
        return try state.daemon()
    }

    private func row(_ id: Int, _ state: String, _ more: (String, String)...) -> String {
        let columns =
            [
                ("id", "\(id)"), ("kind", "'upload'"), ("state", "'\(state)'"), ("priority", "0"),
                ("origin", "'ftp://files.example:21'"), ("host", "'files.example'"),
                ("url", "'ftp://files.example/\(id)'"), ("source_root", "'spool'"), ("source", "x'61'"),
                ("spec", #"'{"upload":{"_0":{"source":{"name":"a","path":"a","root":{"spool":{}}}}}}'"#),
                ("\"offset\"", "7"), ("high_water", "7"), ("stage", "'sending'"), ("attempts", "0"),
                ("idempotency_key", "'key\(id)'"), ("expires_at", "1860000000000"),
                ("created_at", "1760000000000"), ("disposed", "0"),
            ] + more
        return "INSERT INTO jobs (\(columns.map(\.0).joined(separator: ", "))) "
            + "VALUES (\(columns.map(\.1).joined(separator: ", ")));"
    }

    private func attempt(_ job: Int, _ number: Int, end: String, failure: String = "NULL") -> String {
        "INSERT INTO attempts VALUES (\(job), \(number), \(100 * number), \(end), 3, 7, "
            + (failure == "NULL" ? "NULL, NULL" : "'temporary', 'job'") + ", NULL, NULL, \(failure), NULL);"
    }

    @Test func `jobs, checkpoints, counts and attempts of version 2 are there in version 3`() throws {
        let state = try StatePlaces()
        let table = try migrated(
            state,
            [
                row(1, "queued", ("checkpoint", "'{}'")), attempt(1, 1, end: "150", failure: "'no'"),
                row(2, "running", ("checkpoint", #"'{"verified":9}'"#), ("started_at", "200")),
                attempt(2, 1, end: "150", failure: "'no'"), attempt(2, 2, end: "NULL"),
                row(3, "done", ("checkpoint", "'{}'"), ("started_at", "100"), ("finished_at", "170")),
                attempt(3, 1, end: "170"), row(9, "queued", ("checkpoint", "'{}'")),
                "DELETE FROM jobs WHERE id = 9;",
            ].joined(separator: "\n"))
        #expect(try table.counts() == [.queued: 1, .running: 1, .done: 1])
        #expect(try table.found(JobID(rawValue: 1)).checkpoint == Checkpoint())
        let running = try table.found(JobID(rawValue: 2))
        #expect(running.checkpoint.verified == ByteCount(9) && running.startOffset == ByteCount(3))
        let ends = try [1, 2, 3].map { try table.attempts(of: JobID(rawValue: $0)).map(\.endedAt?.rawValue) }
        #expect(ends == [[150], [150, nil], [170]])
        let number = try table.attempts(of: JobID(rawValue: 2)).map(\.number)
        #expect(number == [1, 2])
        #expect(try table.admit(Example.upload(key: "next")) == JobID(rawValue: 10))
        #expect(try table.takeBack(at: Example.now, longestRow: 9) { _ in .hold }.map(\.id.rawValue) == [2])
    }

    @Test func `a remote job has neither source nor target`() throws {
        let state = try StatePlaces()
        let table = try state.daemon()
        _ = try table.admit(Example.upload(key: "a", root: .intake))
        #expect(throws: SQLiteError.self) { try table.connection.execute("UPDATE jobs SET kind = 'remote'") }
        let alone = "UPDATE jobs SET kind = 'remote', source = NULL, source_root = NULL"
        #expect(throws: SQLiteError.self) { try table.connection.execute(alone + ", destination = x'61'") }
        try table.connection.execute(alone)
    }
}
