import CLinux
import Glibc
import TestServers
import Testing
import TransferModel

@testable import TransferSpool

@Suite struct `Losing the spool directory` {
    private func remove(_ path: String) async throws {
        #expect(try await ChildProcess.run(["/bin/rm", "-rf", "--", path]).succeeded)
    }

    @Test func `a deleted route is an error and degraded, and is taken up as soon as it is made again`()
        async throws
    {
        let bench = try SpoolBench.opened()
        try await remove(bench.path(""))
        #expect(bench.take().isEmpty)
        #expect(bench.spool.degraded["in"] != nil)
        #expect(bench.notices.map(\.severity) == [.error])
        #expect(bench.spool.nextDeadline != nil)
        try bench.root.makeDirectory("spool/in")
        try bench.root.write("x", to: "spool/in/before")
        bench.spool.eventsReady(now: bench.now)
        #expect(bench.spool.degraded.isEmpty)
        try bench.root.write("x", to: "spool/in/after")
        #expect(Set(bench.takeSettled().map(\.source.name.description)) == ["before", "after"])
    }

    @Test func `a route moved away and back is taken up again`() throws {
        let bench = try SpoolBench.opened()
        #expect(rename(bench.path(""), bench.root.appending("away")) == 0)
        try bench.root.write("x", to: "away/file")
        #expect(bench.takeSettled().isEmpty)
        #expect(bench.spool.degraded["in"] != nil)
        #expect(rename(bench.root.appending("away"), bench.path("")) == 0)
        #expect(bench.takeSettled().map(\.source.name) == [FileName("file")])
        #expect(bench.spool.degraded.isEmpty)
    }

    @Test func `the whole spool deleted and made again is found within a second`() async throws {
        let bench = try SpoolBench.opened(routes: ["in", "out"])
        try await remove(bench.root.appending("spool"))
        #expect(bench.take().isEmpty)
        #expect(bench.spool.degraded.count == 2)
        for route in ["in", "out"] { try bench.root.makeDirectory("spool/\(route)") }
        bench.advance(.seconds(1))
        #expect(bench.take().isEmpty)
        #expect(bench.spool.degraded.isEmpty)
        try bench.root.write("x", to: "spool/out/file")
        #expect(bench.takeSettled().map(\.route) == ["out"])
    }

    @Test func `a directory put in the place of another is noticed by the periodic scan`() throws {
        let bench = try SpoolBench.opened()
        try bench.root.makeDirectory("new")
        try bench.root.write("x", to: "new/file")
        #expect(rename(bench.path(""), bench.root.appending("away")) == 0)
        #expect(rename(bench.root.appending("new"), bench.path("")) == 0)
        bench.spool.rescan(now: bench.now)
        #expect(bench.takeSettled().map(\.source.name) == [FileName("file")])
    }

    @Test func `a kernel without watches to spare is a warning, and the periodic scan finds the files`()
        throws
    {
        let bench = try SpoolBench()
        bench.spool.openNews = { () throws(SpoolError) in throw SpoolError(code: EMFILE, text: "no more") }
        try bench.spool.open(now: bench.now)
        #expect(bench.spool.descriptor == nil)
        #expect(bench.notices.map(\.severity) == [.warning])
        try bench.root.write("x", to: "spool/in/file")
        #expect(bench.takeSettled().isEmpty)
        bench.spool.rescan(now: bench.now)
        #expect(bench.take().isEmpty)
        #expect(bench.takeSettled().map(\.source.name) == [FileName("file")])
    }

    @Test func `a reload adds routes, takes others away and keeps the rest`() throws {
        let bench = try SpoolBench.opened(routes: ["a", "b"])
        bench.spool.replaceRoutes(
            [try SpoolBench.route("b", settle: .seconds(5)), try SpoolBench.route("c")], ignore: ["skip*"],
            now: bench.now)
        for route in ["a", "b", "c"] { try bench.root.write("x", to: "spool/\(route)/file") }
        try bench.root.write("x", to: "spool/c/skipped")
        #expect(bench.takeSettled().map(\.route) == ["c"])
        bench.advance(.seconds(4))
        #expect(bench.take().map(\.route) == ["b"])
        #expect(bench.takeSettled().isEmpty)
    }
}
