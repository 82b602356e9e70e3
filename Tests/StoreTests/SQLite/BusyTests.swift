import Glibc
import TestServers
import Testing
import TransferModel
import TransferStore

@Suite struct BusyTests {
    @Test func `the daemon does not wait for a lock and says who has it`() async throws {
        let state = try StatePlaces()
        let table = try state.daemon()
        let id = try table.admit(Example.upload(key: "before"))
        let holder = try state.holding("BEGIN IMMEDIATE;")
        try await eventually("the lock of another program", timeout: .seconds(60)) {
            guard case .busy(let text) = storeError({ try table.admit(Example.upload(key: "x")) }) else {
                return false
            }
            return text.contains("(sqlite3)")
        }
        #expect(try table.found(id).state == .queued(retryAt: nil))
        #expect(try table.demands().count == 1)
        await holder.kill()
        try await eventually("the lock's end", timeout: .seconds(60)) {
            storeError { try table.admit(Example.upload(key: "after")) } == nil
        }
    }

    @Test func `a turn refused as busy has done nothing and can be repeated`() async throws {
        let state = try StatePlaces()
        let table = try state.daemon()
        let new = try Example.upload(key: "a")
        let turn = Turn(changes: [.admitted(new)], claims: [Turn.Claim(origin: new.url.origin, count: 1)])
        let holder = try state.holding("BEGIN IMMEDIATE;")
        try await eventually("the lock of another program", timeout: .seconds(60)) {
            if case .busy = storeError({ try table.commit(Turn(sweeps: true), at: Example.now) }) {
                true
            } else {
                false
            }
        }
        #expect(storeError { try table.commit(turn, at: Example.now) } != nil)
        #expect(try table.counts().isEmpty)
        await holder.kill()
        let committed = try await eventually("the lock's end", timeout: .seconds(60)) {
            try? table.commit(turn, at: Example.now)
        }
        #expect(committed.claimed.count == 1)
    }

    @Test func `a client waits for a lock until its time is over`() async throws {
        let state = try StatePlaces()
        let daemon = try state.daemon()
        let holder = try state.holding("BEGIN IMMEDIATE;")
        try await eventually("the lock of another program", timeout: .seconds(60)) {
            storeError { try daemon.admit(Example.upload(key: "x")) } != nil
        }
        let client = try state.client(busyTimeout: .milliseconds(50))
        guard case .busy(let text) = storeError({ try client.admit(Example.upload(key: "y")) }) else {
            Issue.record("a client wrote under another's lock")
            return
        }
        #expect(text.contains(state.table))
        await holder.kill()
    }

    @Test func `a reader's snapshot does not stop the daemon, and the log is cut afterwards`() async throws {
        let state = try StatePlaces()
        let table = try state.daemon()
        _ = try table.admit(Example.upload(key: "first"))
        let reader = try JobTable.openForClient(state.places)
        try reader.holdSnapshot()
        let log = state.table + "-wal"
        var round = 0
        while (TestFile.size(log) ?? 0) < 20 << 20 {
            let large = String(repeating: "x", count: 60_000)
            let turn = try (0..<50).map { number in
                var new = try Example.upload(key: "\(round).\(number)")
                new.label = large
                return JobChange.admitted(new)
            }
            _ = try table.commit(Turn(changes: turn), at: Example.now)
            round += 1
        }
        #expect(try reader.counts() == [.queued: 1])
        try reader.endSnapshot()
        for number in 0..<3 { _ = try table.admit(Example.upload(key: "last\(number)")) }
        #expect(try Example.unwrap(TestFile.size(log)) <= 16 << 20)
        #expect(try table.counts() == [.queued: 1 + 50 * round + 3])
    }

    @Test func `a full disk is the environment's fault, leaves nothing, and passes`() throws {
        let state = try StatePlaces()
        let table = try state.daemon()
        let pages = try table.limitPages(to: nil)
        try table.limitPages(to: pages)
        let turn = Turn(changes: try (0..<500).map { .admitted(try Example.upload(key: "\($0)")) })
        guard case .environment(let text) = storeError({ try table.commit(turn, at: Example.now) }) else {
            Issue.record("more was written than there is room for")
            return
        }
        #expect(text.contains("no room left"))
        #expect(try table.counts().isEmpty)
        try table.limitPages(to: 1 << 20)
        #expect(try table.commit(turn, at: Example.now).admitted.count == 500)
    }
}
