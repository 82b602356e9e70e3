import CLinux
import Glibc
import TestServers
import Testing
import TransferModel
import TransferSpool

@Suite struct `Taking dropped files` {
    @Test func `a closed file is taken whole after the settle time, once, out of its writers' reach`() throws
    {
        let bench = try SpoolBench.opened()
        let writer = try bench.writer(bench.path("report.txt"))
        writer.write("first ")
        #expect(bench.takeSettled().isEmpty)
        bench.advance(.seconds(3600))
        #expect(bench.take().isEmpty, "it is open, however long the pause")
        writer.write("second")
        writer.close()
        #expect(bench.take().isEmpty, "it has not been quiet")
        let file = try #require(bench.takeSettled().first)
        #expect(try bench.content(file.source) == "first second")
        #expect(file.route == "in")
        #expect(file.source.root == .spool)
        #expect(file.source.name == FileName("report.txt"))
        #expect(file.size == ByteCount(12))
        #expect(try bench.names("") == [".claimed", "failed", "sent"])
        #expect(bench.takeSettled().isEmpty)
    }

    @Test func `with settle 0 a file is taken at its close`() throws {
        let bench = try SpoolBench.opened(settle: .zero)
        let writer = try bench.writer(bench.path("a"))
        writer.write("x")
        #expect(bench.take().isEmpty)
        writer.close()
        #expect(bench.take().map(\.source.name) == [FileName("a")])
    }

    @Test func `five appends by a shell are one file`() async throws {
        let bench = try SpoolBench.opened()
        for line in 1...5 {
            let path = bench.path("log")
            _ = try await ChildProcess.run(["/bin/sh", "-c", "echo line \(line) >> \(path)"])
            #expect(bench.take().isEmpty)
            bench.advance(.milliseconds(900))
        }
        let file = try #require(bench.takeSettled().first)
        #expect(try bench.content(file.source) == "line 1\nline 2\nline 3\nline 4\nline 5\n")
    }

    @Test
    func `a file opened again before it was quiet waits for the last close, though nothing is written yet`()
        throws
    {
        let bench = try SpoolBench.opened()
        let first = try bench.writer(bench.path("a"))
        first.write("1")
        first.close()
        let second = try bench.writer(bench.path("a"), O_APPEND)
        bench.advance(.seconds(600))
        #expect(bench.take().isEmpty)
        second.write("2")
        second.close()
        #expect(try bench.takeSettled().map { try bench.content($0.source) } == ["12"])
    }

    @Test func `of two writers the last close counts`() throws {
        let bench = try SpoolBench.opened()
        let first = try bench.writer(bench.path("a"))
        let second = try bench.writer(bench.path("a"), O_APPEND)
        first.write("1")
        first.close()
        for _ in 0..<10 { #expect(bench.takeSettled().isEmpty) }
        second.write("2")
        second.close()
        #expect(try bench.takeSettled().map { try bench.content($0.source) } == ["12"])
    }

    @Test func `a writer that nothing announced is met by asking the kernel, and its close is waited for`()
        throws
    {
        let bench = try SpoolBench.opened()
        let path = bench.root.appending("elsewhere")
        let writer = try bench.writer(path)
        writer.write("1")
        #expect(link(path, bench.path("linked")) == 0)
        #expect(bench.take().isEmpty)
        for _ in 0..<20 { #expect(bench.takeSettled().isEmpty) }
        writer.write("2")
        writer.close()
        bench.advance(.seconds(60))
        #expect(try bench.take().map { try bench.content($0.source) } == ["12"])
    }

    @Test func `files that stood there before the start are taken when they were still`() throws {
        let root = try TemporaryDirectory()
        try root.makeDirectory("spool/in")
        try root.write("old", to: "spool/in/old")
        let bench = try SpoolBench(in: root)
        try bench.spool.open(now: bench.now)
        #expect(bench.take().isEmpty)
        #expect(bench.takeSettled().map(\.source.name) == [FileName("old")])
    }

    @Test func `a file that grows without news waits until it is still`() throws {
        let root = try TemporaryDirectory()
        try root.makeDirectory("spool/in")
        let path = try root.write("1", to: "spool/in/growing")
        #expect(link(path, root.appending("other")) == 0)
        let bench = try SpoolBench(in: root)
        try bench.spool.open(now: bench.now)
        for turn in 2...4 {
            let writer = try bench.writer(root.appending("other"), O_APPEND)
            writer.write("\(turn)")
            writer.close()
            bench.advance(.seconds(1))
            #expect(bench.take().isEmpty)
        }
        #expect(try bench.takeSettled().map { try bench.content($0.source) } == ["1234"])
    }

    @Test func `a file moved in is taken at once, and one linked in too`() throws {
        let bench = try SpoolBench.opened()
        try bench.root.write("moved", to: "outside")
        #expect(rename(bench.root.appending("outside"), bench.path("moved")) == 0)
        #expect(bench.take().map(\.source.name) == [FileName("moved")])
        try bench.root.write("linked", to: "kept")
        #expect(link(bench.root.appending("kept"), bench.path("linked")) == 0)
        #expect(bench.take().map(\.source.name) == [FileName("linked")])
    }

    @Test(arguments: [".name.Xy12Zq", "name.part", "name.crdownload", ".name.swp", "name~"])
    func `a temporary name is never taken, and its final name exactly once`(temporary: String) throws {
        let bench = try SpoolBench.opened()
        let writer = try bench.writer(bench.path(temporary))
        writer.write("all")
        writer.close()
        #expect(bench.takeSettled().isEmpty)
        bench.spool.rescan(now: bench.now)
        #expect(bench.takeSettled().isEmpty)
        #expect(rename(bench.path(temporary), bench.path("name")) == 0)
        #expect(bench.take().map(\.source.name) == [FileName("name")])
        #expect(bench.takeSettled().isEmpty)
        #expect(bench.notices.isEmpty)
    }

    @Test func `a file renamed while it is written waits for its writer`() throws {
        let bench = try SpoolBench.opened()
        let writer = try bench.writer(bench.path("name.tmp"))
        writer.write("1")
        #expect(rename(bench.path("name.tmp"), bench.path("name")) == 0)
        #expect(bench.takeSettled().isEmpty)
        writer.write("2")
        writer.close()
        #expect(try bench.takeSettled().map { try bench.content($0.source) } == ["12"])
    }

    @Test func `the same name dropped three times is three files, in order`() throws {
        let bench = try SpoolBench.opened()
        var taken: [ClaimedFile] = []
        for content in ["one", "two", "three"] {
            try bench.root.write(content, to: "next")
            #expect(rename(bench.root.appending("next"), bench.path("same")) == 0)
            taken += bench.take()
        }
        #expect(try taken.map { try bench.content($0.source) } == ["one", "two", "three"])
        #expect(Set(taken.map(\.source.path)).count == 3)
    }

    @Test func `a file is taken although another route has thousands`() throws {
        let bench = try SpoolBench.opened(routes: ["full", "small"], settle: .zero)
        for index in 0..<50 { try bench.root.write("x", to: "spool/full/\(index)") }
        try bench.root.write("x", to: "spool/small/one")
        let taken = bench.take(limit: 10) + bench.take(limit: 10)
        #expect(taken.contains { $0.route == "small" })
        #expect(bench.spool.nextDeadline.map { $0 <= bench.now } == true, "the rest is due")
    }

    @Test func `21,000 files while nobody listens are a warning, and each is taken exactly once`() throws {
        let bench = try SpoolBench.opened()
        for index in 0..<21_000 { try bench.root.write("x", to: "spool/in/\(index)") }
        bench.spool.eventsReady(now: bench.now)
        #expect(bench.warnings("every route is read again") == 1)
        bench.advance(.seconds(2))
        var names: [FileName] = []
        for _ in 0..<2 {
            while case let files = bench.take(limit: 500), !files.isEmpty {
                #expect(files.count <= 500)
                names += files.map(\.source.name)
            }
            bench.advance(.seconds(2))
        }
        #expect(names.count == 21_000)
        #expect(Set(names).count == 21_000)
        bench.spool.rescan(now: bench.now)
        #expect(bench.takeSettled().isEmpty)
        #expect(try bench.names("") == [".claimed", "failed", "sent"])
    }
}
