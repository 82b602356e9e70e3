import CLinux
import Glibc
import TestServers
import Testing
import TransferModel
import TransferSpool

@Suite struct `Odd things in the spool` {
    @Test(arguments: ["directory", "link", "fifo", "socket", "dangling"])
    func `what is no regular file is reported once, left alone and holds up nobody`(kind: String) throws {
        let bench = try SpoolBench.opened()
        try make(kind, at: bench.path("odd"), bench)
        try bench.root.write("x", to: "spool/in/good")
        #expect(bench.takeSettled().map(\.source.name) == [FileName("good")])
        for _ in 0..<3 {
            bench.spool.rescan(now: bench.now)
            #expect(bench.takeSettled().isEmpty)
        }
        #expect(bench.warnings("name=odd") == 1)
        #expect(try bench.names("") == [".claimed", "failed", "odd", "sent"])
    }

    private func make(_ kind: String, at path: String, _ bench: SpoolBench) throws {
        switch kind {
        case "directory": #expect(mkdir(path, 0o755) == 0)
        case "link":
            #expect(symlink(try bench.root.write("secret", to: "secret"), path) == 0)
        case "dangling": #expect(symlink("nowhere", path) == 0)
        case "fifo": #expect(mkfifo(path, 0o644) == 0)
        default: #expect(mknod(path, S_IFSOCK | 0o644, 0) == 0)
        }
    }

    @Test func `a file that stands where a FIFO was reported is taken`() throws {
        let bench = try SpoolBench.opened()
        #expect(mkfifo(bench.path("odd"), 0o644) == 0)
        #expect(bench.take().isEmpty)
        #expect(unlink(bench.path("odd")) == 0)
        try bench.root.write("x", to: "spool/in/odd")
        #expect(bench.takeSettled().map(\.source.name) == [FileName("odd")])
    }

    @Test func `names are bytes and come back as they are`() throws {
        let bench = try SpoolBench.opened()
        let names: [[UInt8]] = [
            Array("caf\u{e9}".utf8), Array("cafe\u{301}".utf8), [0x66, 0xff, 0xfe], Array("-rf".utf8),
            Array("  both ends  ".utf8), Array("\"'`$(x)#?%41;type=a\\".utf8),
            [UInt8](repeating: UInt8(ascii: "n"), count: 255),
        ]
        for name in names { try TestFile.write(name, rawPath: Array(bench.path("").utf8) + name) }
        let taken = bench.takeSettled()
        #expect(Set(taken.map(\.source.name.bytes)) == Set(names))
        for file in taken {
            #expect(try TestFile.read(rawPath: bench.absolute(file.source)) == file.source.name.bytes)
        }
    }

    @Test(arguments: ["two\nlines", "carriage\rreturn", "\u{1b}[2J", "delete\u{7f}"])
    func `a name with control bytes goes to failed with a reason, and the others go on`(name: String) throws {
        let bench = try SpoolBench.opened()
        try bench.root.write("x", to: "spool/in/\(name)")
        try bench.root.write("x", to: "spool/in/good")
        #expect(bench.takeSettled().map(\.source.name) == [FileName("good")])
        let escaped = EscapedText.escape(Array(name.utf8))
        #expect(try bench.names("failed") == [escaped, escaped + ".reason"].sorted())
        #expect(TestFile.text(bench.path("failed/\(name).reason")).contains("control bytes"))
        #expect(bench.warnings("control bytes") == 1)
        #expect(bench.notices.allSatisfy { !$0.text.utf8.contains(where: EscapedText.isControl) })
    }

    @Test(.enabled(if: geteuid() != 0)) func `a file that cannot be read is reported once and left alone`()
        throws
    {
        let bench = try SpoolBench.opened()
        try bench.root.write("x", to: "spool/in/closed", mode: 0o000)
        for _ in 0..<3 {
            #expect(bench.takeSettled().isEmpty)
            bench.spool.rescan(now: bench.now)
        }
        #expect(bench.warnings("name=closed") == 1)
        #expect(chmod(bench.path("closed"), 0o644) == 0)
        bench.spool.rescan(now: bench.now)
        #expect(bench.takeSettled().count == 1)
    }

    @Test(.enabled(if: geteuid() == 0)) func `a claimed directory made by another user is refused`() throws {
        let root = try TemporaryDirectory()
        try root.makeDirectory("spool/in/.claimed", mode: 0o777)
        #expect(chown(root.appending("spool/in/.claimed"), 12_345, 12_345) == 0)
        let bench = try SpoolBench(in: root)
        try bench.spool.open(now: bench.now)
        #expect(bench.spool.degraded["in"]?.contains("another user") == true)
    }

    @Test func `the spool directory lets writers drop and none remove another's file`() throws {
        let bench = try SpoolBench.opened()
        var status = stat()
        #expect(stat(bench.path(""), &status) == 0)
        #expect(status.st_mode & 0o7777 == 0o3770)
        #expect(stat(bench.path(".claimed"), &status) == 0)
        #expect(status.st_mode & 0o7777 == 0o700)
    }
}
