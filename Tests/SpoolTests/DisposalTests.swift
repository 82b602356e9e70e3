import CLinux
import Glibc
import TestServers
import Testing
import TransferModel

@testable import TransferSpool

@Suite struct `Disposing of files` {
    private func claim(_ content: String, as name: String, in bench: SpoolBench) throws -> SourceFile {
        try bench.root.write(content, to: "next")
        #expect(rename(bench.root.appending("next"), bench.path(name)) == 0)
        return try #require(bench.take().first).source
    }

    private func reason(_ text: String, job: Int64) -> Disposal {
        .keepFailed(
            FailedReason(text, job: JobID(rawValue: job), at: Timestamp(rawValue: 1_000_000_000_000)))
    }

    @Test func `a deleted file is gone with its batch, and a second time is as good`() throws {
        let bench = try SpoolBench.opened()
        let source = try claim("x", as: "a", in: bench)
        for _ in 0..<2 {
            #expect(try bench.spool.dispose(source, as: .delete) == nil)
            try bench.spool.synchronize()
        }
        #expect(try bench.names(".claimed").isEmpty)
    }

    @Test func `the other files of a batch stay`() throws {
        let bench = try SpoolBench.opened()
        for name in ["a", "b"] { try bench.root.write(name, to: "spool/in/\(name)") }
        let files = bench.takeSettled()
        try bench.spool.dispose(files[0].source, as: .delete)
        try bench.spool.synchronize()
        #expect(try bench.content(files[1].source) == files[1].source.name.description)
        try bench.spool.dispose(files[1].source, as: .delete)
        #expect(try bench.names(".claimed").isEmpty)
    }

    @Test func `archived files of one name get numbers, and nothing is overwritten`() throws {
        let bench = try SpoolBench.opened()
        for content in ["one", "two", "three"] {
            let source = try claim(content, as: "a.txt", in: bench)
            let place = try #require(try bench.spool.dispose(source, as: .archive))
            #expect(try bench.content(place) == content)
            #expect(place.name == FileName("a.txt"))
            #expect(try bench.spool.dispose(source, as: .archive) == nil, "a second time does nothing")
        }
        #expect(try bench.names("sent") == ["a.txt", "a.txt.2", "a.txt.3"])
        #expect(try bench.names(".claimed").isEmpty)
    }

    @Test func `a sent or failed directory that a person cleared away is made again`() async throws {
        let bench = try SpoolBench.opened()
        let archived = try claim("a", as: "a", in: bench)
        let refused = try claim("b", as: "b", in: bench)
        for name in ["sent", "failed"] {
            #expect(rename(bench.path(name), bench.root.appending("old-\(name)")) == 0)
        }
        #expect(try bench.spool.dispose(archived, as: .archive)?.path == FilePath("in/sent/a"))
        #expect(try bench.spool.dispose(refused, as: reason("no", job: 1))?.path == FilePath("in/failed/b"))
        try bench.spool.synchronize()
        #expect(try bench.names("sent") == ["a"])
        #expect(try bench.names("failed") == ["b", "b.reason"])
    }

    @Test func `a failed file has its reason beside it, in one sentence with the job and the time`() throws {
        let bench = try SpoolBench.opened()
        let source = try claim("x", as: "a", in: bench)
        let place = try bench.spool.dispose(source, as: reason("The server said\n550 no", job: 12))
        #expect(place?.path == FilePath("in/failed/a"))
        #expect(
            TestFile.text(bench.path("failed/a.reason"))
                == "The server said 550 no\njob=12 time=2001-09-09T01:46:40Z\n")
    }

    @Test func `called again after a crash the failed file's place is found by its job`() throws {
        let bench = try SpoolBench.opened()
        let first = try claim("one", as: "a", in: bench)
        let second = try claim("two", as: "a", in: bench)
        try bench.spool.dispose(first, as: reason("no", job: 1))
        let place = try bench.spool.dispose(second, as: reason("no", job: 2))
        #expect(place?.path == FilePath("in/failed/a.2"))
        #expect(try bench.spool.dispose(second, as: reason("no", job: 2)) == place)
        #expect(try bench.spool.dispose(first, as: reason("no", job: 1))?.path == FilePath("in/failed/a"))
        #expect(try bench.names("failed") == ["a", "a.2", "a.2.reason", "a.reason"])
    }

    @Test func `a reason that a crash left without its file is used by its job`() throws {
        let bench = try SpoolBench.opened()
        let source = try claim("one", as: "a", in: bench)
        try bench.root.write("old words\njob=7 time=2001-09-09T01:46:40Z\n", to: "spool/in/failed/a.reason")
        #expect(
            try bench.spool.dispose(source, as: reason("new words", job: 7))?.path == FilePath("in/failed/a"))
        #expect(TestFile.text(bench.path("failed/a.reason")).hasPrefix("new words\n"))
    }

    @Test func `a failed file named like another's reason does not meet it`() throws {
        let bench = try SpoolBench.opened()
        let plain = try claim("plain", as: "a", in: bench)
        let odd = try claim("odd", as: "a.reason", in: bench)
        try bench.spool.dispose(odd, as: reason("no", job: 1))
        let place = try #require(try bench.spool.dispose(plain, as: reason("no", job: 2)))
        #expect(place.path == FilePath("in/failed/a.2"))
        #expect(try bench.content(place) == "plain")
        #expect(TestFile.text(bench.path("failed/a.reason")) == "odd")
    }

    @Test func `a failed file that went at last leaves no reason behind`() throws {
        let bench = try SpoolBench.opened()
        let source = try claim("x", as: "a", in: bench)
        let failed = try #require(try bench.spool.dispose(source, as: reason("no", job: 1)))
        #expect(try bench.spool.dispose(failed, as: reason("again", job: 1)) == failed)
        #expect(TestFile.text(bench.path("failed/a.reason")).hasPrefix("again\n"))
        let sent = try bench.spool.dispose(failed, as: .archive)
        #expect(sent?.path == FilePath("in/sent/a"))
        #expect(try bench.names("failed").isEmpty)
    }

    @Test func `names of 255 bytes are cut for what is added, never inside a character`() throws {
        let bench = try SpoolBench.opened()
        let long = String(repeating: "ä", count: 127) + "x"
        for job in 1...3 {
            let source = try claim("\(job)", as: long, in: bench)
            let place = try #require(try bench.spool.dispose(source, as: reason("no", job: Int64(job))))
            #expect(try bench.spool.dispose(source, as: reason("no", job: Int64(job))) == place)
            #expect(try bench.content(place) == "\(job)")
        }
        let names = try TestFile.names(in: bench.path("failed"))
        #expect(names.count == 6)
        #expect(names.allSatisfy { String(validating: $0, as: UTF8.self) != nil })
    }

    @Test(arguments: [0x61, 0xc3, 0xff, 0x80])
    func `every choice of a long name is a name of its own`(byte: UInt8) throws {
        let name = try #require(FileName(bytes: [UInt8](repeating: byte, count: 255)))
        let choices = (1...1200).map { FreeNames(name: name).choice($0, room: 7) }
        #expect(Set(choices).count == choices.count)
        #expect(choices.dropFirst().allSatisfy { FreeNames.reason(for: $0).bytes.count <= 255 })
    }

    @Test(arguments: ["../x", "in/../../x", "in/.claimed/b", "in/failed/../../x", "in", "in/.claimed/b/c/d"])
    func `a path that is no place in the spool is refused`(path: String) throws {
        let bench = try SpoolBench.opened()
        let source = SourceFile(
            root: .spool, path: try #require(FilePath(path)), name: try #require(FileName("x")))
        #expect(throws: SpoolError.self) { try bench.spool.dispose(source, as: .delete) }
    }

    @Test func `a handed-over file goes with its directory, and a file in place is never touched`() throws {
        let bench = try SpoolBench.opened()
        try bench.root.makeDirectory("intake/5")
        try bench.root.write("x", to: "intake/5/a")
        try bench.root.write("x", to: "own")
        let name = try #require(FileName("a"))
        let source = SourceFile(root: .intake, path: try #require(FilePath("5/a")), name: name)
        #expect(try bench.spool.dispose(source, as: reason("no", job: 1)) == source)
        for _ in 0..<2 { #expect(try bench.spool.dispose(source, as: .delete) == nil) }
        #expect(try TestFile.names(in: bench.root.appending("intake")).isEmpty)
        let inPlace = SourceFile(
            root: .inPlace(try #require(FilePath(bench.root.path))), path: try #require(FilePath("own")),
            name: name)
        #expect(try bench.spool.dispose(inPlace, as: .delete) == inPlace)
        #expect(TestFile.exists(bench.root.appending("own")))
    }

    @Test func `copies that no job knows go after their time, not while somebody hands over`() throws {
        let bench = try SpoolBench.opened()
        for token in ["known", "forgotten", "failed", "empty"] {
            try bench.root.makeDirectory("intake/\(token)")
            if token != "empty" { try bench.root.write("x", to: "intake/\(token)/0") }
        }
        try bench.root.write("no", to: "intake/failed/ended.7")
        try bench.root.write("x", to: "intake/file")
        let known = try #require(FileName("known"))
        var now = timespec()
        clock_gettime(CLOCK_REALTIME, &now)
        let present = Timestamp(rawValue: Int64(now.tv_sec) * 1000)
        func sweep(_ now: Timestamp, known: Set<FileName>?) throws -> Set<String> {
            try bench.spool.sweepForgotten(olderThan: .seconds(3600), now: now) { known }
            let left = try TestFile.names(in: bench.root.appending("intake"))
            return Set(left.map { String(decoding: $0, as: UTF8.self) })
        }
        let all: Set = ["known", "forgotten", "failed", "empty", "file"]
        #expect(try sweep(present, known: [known]) == all)
        let later = present + .seconds(4000)
        #expect(try sweep(later, known: nil) == all)
        let fd = open(bench.root.appending("intake"), O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        #expect(transferd_flock(fd, LOCK_SH) == 0)
        #expect(try sweep(later, known: [known]) == all)
        // A child that another test is just starting may hold a copy: closing this one would not end the lock.
        #expect(transferd_flock(fd, LOCK_UN) == 0)
        close(fd)
        #expect(try sweep(later, known: [known]) == ["known", "failed", "file"])
    }
}

@Suite struct `Starting again` {
    @Test func `claimed files that no job knows are found in the order they were claimed`() throws {
        let bench = try SpoolBench.opened(settle: .zero)
        var sources: [SourceFile] = []
        for index in 0..<5 {
            try bench.root.write("\(index)", to: "spool/in/same")
            sources += bench.take().map(\.source)
        }
        let next = try SpoolBench(in: bench.root)
        try next.spool.open(now: next.now)
        let found = next.spool.unrecorded(known: [sources[2].path])
        #expect(found.map(\.source) == [sources[0], sources[1], sources[3], sources[4]])
        #expect(found.map(\.size) == Array(repeating: ByteCount(1), count: 4))
        #expect(next.takeSettled().isEmpty, "none is claimed a second time")
    }

    @Test func `a recorded file that is back where it was dropped is put in its place`() throws {
        let bench = try SpoolBench.opened(settle: .zero)
        try bench.root.write("x", to: "spool/in/a")
        let source = try #require(bench.take().first).source
        #expect(bench.spool.recover(source))
        let claimed = String(decoding: bench.absolute(source), as: UTF8.self)
        #expect(rename(claimed, bench.path("a")) == 0)
        let next = try SpoolBench(in: bench.root)
        try next.spool.open(now: next.now)
        #expect(next.spool.recover(source))
        #expect(try next.content(source) == "x")
        #expect(next.takeSettled().isEmpty)
        #expect(unlink(claimed) == 0)
        #expect(!next.spool.recover(source))
    }

    @Test func `an empty batch that a crash left behind is removed`() throws {
        let bench = try SpoolBench.opened()
        try bench.root.makeDirectory("spool/in/.claimed/0123456789abcdef")
        #expect(bench.spool.unrecorded(known: []).isEmpty)
        #expect(try bench.names(".claimed").isEmpty)
    }
}
