import Glibc
import TestServers
import Testing
import TransferModel
import TransferStore

@Suite struct WakeTests {
    private func waits(_ watch: WakeWatch, _ milliseconds: Int32 = 5_000) -> Bool {
        var poll = pollfd(fd: watch.descriptor, events: Int16(POLLIN), revents: 0)
        return Glibc.poll(&poll, 1, milliseconds) == 1
    }

    @Test func `a client's commit is visible when its wake comes`() throws {
        let state = try StatePlaces()
        let daemon = try state.daemon()
        let watch = try WakeWatch(state.places)
        let client = try state.client()
        _ = watch.drain()
        for number in 0..<20 {
            _ = try client.admit(Example.upload(key: "\(number)"))
            #expect(waits(watch) && watch.drain())
            #expect(try daemon.hasForeignChanges())
        }
        #expect(!watch.drain())
    }

    @Test func `a client that only reads, or is refused, wakes nobody`() throws {
        let state = try StatePlaces()
        let daemon = try state.daemon()
        let id = try daemon.admit(Example.upload(key: "a"))
        let client = try state.client()
        let watch = try WakeWatch(state.places)
        _ = try client.jobs(JobFilter())
        _ = try client.counts()
        _ = try client.request(.release, of: id, at: Example.now)
        #expect(!watch.drain())
    }

    @Test func `the daemon's own commits wake nobody`() throws {
        let state = try StatePlaces()
        let daemon = try state.daemon()
        let watch = try WakeWatch(state.places)
        for number in 0..<20 { _ = try daemon.admit(Example.upload(key: "\(number)")) }
        #expect(!watch.drain())
    }

    @Test func `a change by sqlite3 is noticed`() async throws {
        let state = try StatePlaces()
        let daemon = try state.daemon()
        let id = try daemon.admit(Example.upload(key: "a"))
        let watch = try WakeWatch(state.places)
        _ = try daemon.hasForeignChanges()
        try await state.sqlite3("UPDATE jobs SET priority = 9")
        #expect(waits(watch) && watch.drain())
        try await eventually("the change") { try daemon.hasForeignChanges() }
        #expect(try daemon.found(id).priority == 9)
    }

    @Test func `files that are none of the table's wake nobody`() throws {
        let state = try StatePlaces()
        let daemon = try state.daemon()
        let watch = try WakeWatch(state.places)
        try TestFile.write([1], to: state.places.state.description + "/notes")
        #expect(waits(watch) && !watch.drain())
        withExtendedLifetime(daemon) {}
    }

    @Test func `after a wake without a change the table is looked at four times more`() {
        var retries = WakeRetries()
        let waits = (0..<5).map { _ in retries.next() }
        #expect(waits == [.milliseconds(1), .milliseconds(5), .milliseconds(25), .milliseconds(100), nil])
    }
}
