import Glibc
import TestServers
import Testing
import TransferModel
import TransferStore

/// The program `transferctl`, run against a state directory of its own without a daemon.
@Suite("transferctl")
struct TransferctlTests {
    private struct Bench {
        let directory: TemporaryDirectory
        let state: String

        init(_ directory: TemporaryDirectory) throws {
            self.directory = directory
            state = try directory.makeDirectory("state")
        }

        func run(
            _ arguments: [String], input: [UInt8] = [], before: [String] = []
        ) async throws -> ChildProcess.Completed {
            try await ChildProcess.run(
                before + [try TransferctlTests.program(), "--state", state] + arguments, input: input)
        }

        func table() throws -> JobTable {
            try JobTable.openForClient(Places(below: try #require(FilePath(state))))
        }
    }

    /// Built beside the running test program, or in the directory that `TRANSFERD_PROGRAMS` names.
    private static func program() throws -> String {
        var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
        let count = max(0, readlink("/proc/self/exe", &buffer, buffer.count - 1))
        let path = String(decoding: buffer.prefix(count).map(UInt8.init(bitPattern:)), as: UTF8.self)
        let built = path.split(separator: "/").dropLast().map { "/\($0)" }.joined()
        return "\(getenv("TRANSFERD_PROGRAMS").map { String(cString: $0) } ?? built)/transferctl"
    }

    @Test func `enqueue prints the numbers of its jobs, which are there for the next program`() async throws {
        try await withTemporaryDirectory { directory in
            let bench = try Bench(directory)
            let files = try ["-a", "b c"].map { try directory.write($0, to: $0) }
            let made = try await bench.run(["enqueue", "upload"] + files + ["ftp://h/d/"])
            #expect(made.succeeded)
            #expect(made.text == "1\n2\n")
            #expect(made.errorText.isEmpty)
            let json = try await bench.run(["status", "--json", "2", "1"])
            let lines = json.text.split(separator: "\n")
            #expect(lines.count == 2)
            #expect(lines.first?.hasPrefix(#"{"id":2,"kind":"upload","state":"queued","#) == true)
            #expect(lines.first?.contains(#""url":"ftp://h/d/b%20c""#) == true)
            let job = try #require(try bench.table().job(JobID(rawValue: 1)))
            #expect(job.url.description == "ftp://h/d/-a")
        }
    }

    @Test func `jobs can be looked at and stopped while the configuration has mistakes`() async throws {
        try await withTemporaryDirectory { directory in
            let bench = try Bench(directory)
            let program = try Self.program()
            let right = "[transferd]\nstate_dir = \(bench.state)\n"
            let file = try directory.write(right, to: "transferd.conf")
            let file1 = try directory.write("x", to: "x")
            func run(_ words: String...) async throws -> ChildProcess.Completed {
                try await ChildProcess.run([program, "--config", file] + words)
            }
            #expect(try await run("enqueue", "upload", file1, "ftp://h/").succeeded)
            try directory.write(right + "lanse = 3\n[route a]\nkind = uplaod\nurl", to: "transferd.conf")
            for command in [["status"], ["show", "1"], ["hold", "1"], ["release", "1"], ["cancel", "1"]] {
                let done = try await ChildProcess.run([program, "--config", file] + command)
                #expect(done.succeeded, "\(command): \(done.errorText)")
                #expect(done.text.contains("1"))
                let lines = done.errorText.split(separator: "\n")
                #expect(lines.count == 1 && done.errorText.contains("\(file):3: key 'lanse'"), "\(lines)")
                #expect(done.errorText.contains("(and 3 other mistakes)"), "\(lines)")
            }
            #expect(try await run("wait", "1").status == .exited(1))
            let refused = try await run("enqueue", "upload", file1, "ftp://h/")
            #expect(refused.status == .exited(2) && refused.errorText.contains("key 'lanse'"))
            #expect(try await run("status", "--json", "--all").text.split(separator: "\n").count == 1)
        }
    }

    @Test func `standard input is a source, and --json tells the whole job`() async throws {
        try await withTemporaryDirectory { directory in
            let bench = try Bench(directory)
            let made = try await bench.run(
                ["enqueue", "upload", "-", "ftp://h/x", "--json", "--label", "from a pipe"],
                input: [UInt8](repeating: 65, count: 1_000_000))
            #expect(made.text.contains(#""limit":1000000,"#))
            #expect(made.text.contains(#""label":"from a pipe""#))
            let unnamed = try await bench.run(["enqueue", "upload", "-", "ftp://h/"])
            #expect(unnamed.status == .exited(2))
            #expect(unnamed.errorText.hasPrefix("transferctl: standard input has no name"))
        }
    }

    @Test func `a file name of any bytes is taken, one with control bytes refused`() async throws {
        try await withTemporaryDirectory { directory in
            let bench = try Bench(directory)
            let prefix = [UInt8](directory.path.utf8) + [UInt8(ascii: "/")]
            for (name, isTaken) in [([0xff, 0x20, 0xfe] as [UInt8], true), ([0x61, 0x0a, 0x62], false)] {
                try TestFile.write([1], rawPath: prefix + name)
                let words = [try Self.program(), "--state", bench.state, "enqueue", "upload"].map {
                    Array($0.utf8)
                }
                let done = try await ChildProcess.run(
                    rawArguments: words + [prefix + name, Array("ftp://h/".utf8)])
                #expect(done.status == .exited(isTaken ? 0 : 2))
            }
            let job = try #require(try bench.table().job(JobID(rawValue: 1)))
            #expect(job.url.description == "ftp://h/%FF%20%FE")
        }
    }

    @Test func `an interrupted hand-over leaves neither a job nor a copy`() async throws {
        try await withTemporaryDirectory { directory in
            let bench = try Bench(directory)
            _ = try await bench.run(["status"])
            let pipe = directory.appending("pipe")
            mkfifo(pipe, 0o600)
            // Open at both ends, so that the program waits for input that never comes.
            let ends = open(pipe, O_RDWR | O_CLOEXEC)
            defer { close(ends) }
            let script =
                "exec '\(try Self.program())' --state '\(bench.state)' enqueue upload - ftp://h/x <'\(pipe)'"
            let waiting = try ChildProcess.spawn(["bash", "-c", script])
            let intake = "\(bench.state)/intake"
            try await eventually("its copy") { try !TestFile.names(in: intake).isEmpty }
            waiting.signal(SIGINT)
            #expect(try await waiting.exitStatus(within: .seconds(10)) == .killed(signal: SIGINT))
            #expect(try TestFile.names(in: intake).isEmpty)
            #expect(try bench.table().counts().isEmpty)
        }
    }

    @Test func `without a daemon --wait says so at once and the job stays queued`() async throws {
        try await withTemporaryDirectory { directory in
            let bench = try Bench(directory)
            let done = try await bench.run(["enqueue", "download", "http://h/x", "--wait"])
            #expect(done.status == .exited(5))
            #expect(done.text == "1\n")
            #expect(done.errorText.contains("no transferd is running"))
            let waited = try await bench.run(["wait", "1", "--timeout", "50ms"])
            #expect(waited.status == .exited(5))
        }
    }

    @Test func `requests are carried out without a daemon, and each exit status means what it should`()
        async throws
    {
        try await withTemporaryDirectory { directory in
            let bench = try Bench(directory)
            _ = try await bench.run(["enqueue", "download", "http://h/x", "http://h/y"])
            #expect(try await bench.run(["hold", "1"]).text == "job 1 is held\n")
            #expect(try await bench.run(["wait", "1"]).status == .exited(5))
            let refused = try await bench.run(["release", "2"])
            #expect(refused.status == .exited(1))
            #expect(refused.errorText == "transferctl: cannot release job 2: it is not held\n")
            #expect(try await bench.run(["release", "1"]).succeeded)
            #expect(try await bench.run(["cancel", "1"]).text == "job 1 is cancelled\n")
            let waited = try await bench.run(["wait", "1"])
            #expect(waited.status == .exited(1))
            #expect(waited.errorText == "transferctl: job 1 was cancelled\n")
            #expect(try await bench.run(["retry", "1", "--json"]).text.contains(#""state":"queued""#))
            for words in [["show", "9"], ["cancel", "1", "9"], ["wait", "9"], ["status", "9"]] {
                let unknown = try await bench.run(words)
                #expect(unknown.status == .exited(2))
                #expect(unknown.errorText == "transferctl: there is no job 9\n")
            }
        }
    }

    @Test func `wait returns when another program ends the job`() async throws {
        try await withTemporaryDirectory { directory in
            let bench = try Bench(directory)
            _ = try await bench.run(["enqueue", "download", "http://h/x"])
            let log = directory.appending("log")
            let waiting = try ChildProcess.spawn(
                [try Self.program(), "--state", bench.state, "wait", "1", "--json"], output: .file(log))
            try await eventually("its first look") { TestFile.text(log).contains("no transferd is running") }
            _ = try await bench.run(["cancel", "1"])
            #expect(try await waiting.exitStatus(within: .seconds(10)) == .exited(1))
            #expect(TestFile.text(log).contains(#""state":"cancelled""#))
        }
    }

    @Test func `a wrong command line ends in one sentence and exit status 2`() async throws {
        try await withTemporaryDirectory { directory in
            let bench = try Bench(directory)
            for words in [
                ["statsu"], ["status", "--foo"], ["enqueue", "upload", "missing", "ftp://h/"], [],
            ] {
                let done = try await bench.run(words)
                #expect(done.status == .exited(2))
                #expect(done.errorText.hasPrefix("transferctl: "))
                #expect(done.errorText.split(separator: "\n").count == 1)
                #expect(done.text.isEmpty)
            }
            let elsewhere = try await ChildProcess.run(
                [try Self.program(), "--state", directory.appending("nowhere"), "status"])
            #expect(elsewhere.status == .exited(2))
            #expect(try await bench.run(["--version"]).text.hasPrefix("transferctl "))
            #expect(try await bench.run(["wait", "--help"]).text.contains("--timeout"))
        }
    }

    @Test func `a reader that goes away ends status without a message`() async throws {
        try await withTemporaryDirectory { directory in
            let bench = try Bench(directory)
            try directory.makeDirectory("in")
            let files = try (0..<3000).map { try directory.write("", to: "in/\($0)") }
            #expect(try await bench.run(["enqueue", "upload"] + files + ["ftp://h/"]).succeeded)
            let done = try await ChildProcess.run([
                "bash", "-c",
                "set -o pipefail; '\(try Self.program())' --state '\(bench.state)' status --all | head -1",
            ])
            #expect(done.succeeded)
            #expect(done.errorText.isEmpty)
        }
    }

    @Test func `--watch prints a line for each change into a pipe and ends with the jobs`() async throws {
        try await withTemporaryDirectory { directory in
            let bench = try Bench(directory)
            _ = try await bench.run(["enqueue", "download", "http://h/x"])
            let log = directory.appending("log")
            let watching = try ChildProcess.spawn(
                [try Self.program(), "--state", bench.state, "status", "1", "--watch"], output: .file(log))
            try await eventually("the first line") { TestFile.text(log).contains("job 1 download queued") }
            _ = try await bench.run(["cancel", "1"])
            #expect(try await watching.exitStatus(within: .seconds(10)) == .exited(0))
            #expect(TestFile.text(log).contains("job 1 download cancelled"))
        }
    }

    @Test func `--watch on a terminal gives the screen back when it is interrupted`() async throws {
        try await withTemporaryDirectory { directory in
            let bench = try Bench(directory)
            _ = try await bench.run(["enqueue", "download", "http://h/x"])
            let script = """
                import os,pty,sys,time,signal
                pid,fd=pty.fork()
                if pid==0: os.execv(sys.argv[1],sys.argv[1:])
                seen=b''
                while b'http://h/x' not in seen: seen+=os.read(fd,65536)
                os.write(fd,b'\\x03')
                try:
                    while True:
                        part=os.read(fd,65536)
                        if not part: break
                        seen+=part
                except OSError: pass
                sys.stdout.buffer.write(seen); sys.stdout.flush()
                sys.exit(os.waitstatus_to_exitcode(os.waitpid(pid,0)[1]))
                """
            let done = try await bench.run(["status", "--watch"], before: ["python3", "-c", script])
            #expect(done.succeeded)
            let parts = done.text.split(separator: "\u{1b}[?1049l")
            #expect(done.text.hasPrefix("\u{1b}[?1049h\u{1b}[?25l"))
            #expect(parts.count == 2)
            #expect(parts.first?.hasSuffix("\u{1b}[?25h") == true)
            #expect(parts.last?.contains("http://h/x") == true)
        }
    }
}
