import CLinux
import Glibc
import TestServers
import Testing
import TransferConfiguration
import TransferModel
import TransferStore

@testable import TransferCommand

@Suite("Handing over and recording")
struct EnqueueSuite {
    /// A state directory with a table, and what enqueueing into it does.
    private struct Bench {
        let directory: TemporaryDirectory
        let table: JobTable
        let session: Session

        init(_ directory: TemporaryDirectory, sources: [String] = []) throws {
            self.directory = directory
            var places = try places(try directory.makeDirectory("state"))
            places.sourceDirectories = try sources.map { try #require(FilePath($0)) }
            table = try JobTable.openForClient(places)
            let null = open("/dev/null", O_WRONLY | O_CLOEXEC)
            session = Session(
                store: table, places: places, expires: .seconds(86_400), output: Output(null),
                isDaemonRunning: { false })
        }

        func upload(_ inputs: [String], to url: String) throws {
            let order = Order.upload(try inputs.map { try Input($0.utf8) }, to: try TransferURL(url))
            #expect(try Enqueue(session: session, options: OrderOptions()).run(order).count == inputs.count)
        }

        func jobs() throws -> [Job] { try table.jobs(JobFilter()).reversed() }

        func path(of job: Job) throws -> String {
            let source = try #require(job.description.sources.first)
            return source.absolutePath(in: session.places).description
        }

        /// The token directories of the intake.
        func intake() throws -> [[UInt8]] { try TestFile.names(in: directory.appending("state/intake")) }
    }

    private func mode(_ path: String) -> UInt32 {
        var status = stat()
        return stat(path, &status) == 0 ? status.st_mode & 0o7777 : 0
    }

    /// Seconds and nanoseconds.
    private func modified(_ path: String) -> [Int] {
        var status = stat()
        return stat(path, &status) == 0 ? [status.st_mtim.tv_sec, status.st_mtim.tv_nsec] : []
    }

    @Test func `a file is copied into the intake, shared with the group, and may be deleted`() async throws {
        try await withTemporaryDirectory { directory in
            let bench = try Bench(directory)
            let content = [UInt8](repeating: 7, count: 700_001)
            let file = try directory.write(content, to: "a b#?.bin", mode: 0o600)
            let time = timespec(tv_sec: -3, tv_nsec: 500_000_000)
            #expect(utimensat(AT_FDCWD, file, [time, time], 0) == 0)
            try bench.upload([file], to: "ftp://h/up/")
            unlink(file)
            let job = try #require(try bench.jobs().first)
            #expect(job.url.description == "ftp://h/up/a%20b%23%3F.bin")
            #expect(job.limit == ByteCount(700_001))
            let copy = try bench.path(of: job)
            #expect(try TestFile.read(copy) == content)
            #expect(mode(copy) == 0o660)
            #expect(modified(copy) == [-3, 500_000_000])
            #expect(mode(String(copy.dropLast(2))) == 0o2770)
            #expect(mode(directory.appending("state/intake")) == 0o2770)
        }
    }

    @Test func `a file below a source directory is used where it lies, also through a link to it`()
        async throws
    {
        try await withTemporaryDirectory { directory in
            let sources = try directory.makeDirectory("sources/deep")
            try directory.write("x", to: "sources/deep/x")
            symlink(sources, directory.appending("link"))
            let bench = try Bench(directory, sources: [directory.appending("sources")])
            try bench.upload([directory.appending("link/x")], to: "ftp://h/y")
            let source = try #require(try bench.jobs().first?.description.sources.first)
            #expect(source.root == .inPlace(try #require(FilePath(directory.appending("sources")))))
            #expect(source.path == FilePath("deep/x"))
            #expect(try bench.intake().isEmpty)
        }
    }

    @Test func `the intake is locked from the first copy on until the jobs stand`() async throws {
        try await withTemporaryDirectory { directory in
            let file = try directory.write("x", to: "x")
            let parent = try #require(FilePath(directory.appending("intake")))
            func isLocked() -> Bool {
                let fd = open("\(parent)", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
                defer { close(fd) }
                return transferd_flock(fd, LOCK_EX | LOCK_NB) != 0
            }
            func handOver() throws {
                var intake = Intake(below: parent)
                let name = try #require(FileName("x"))
                let input = try OpenedInput(try #require(FilePath(file)))
                _ = try intake.take(input, as: name, display: "x", isFirst: true)
                try intake.makeDurable()
                #expect(isLocked())
                intake.keep()
            }
            try handOver()
            #expect(!isLocked())
        }
    }

    @Test func `wishes go with the job, and must agree with those of the server's origin`() async throws {
        try await withTemporaryDirectory { directory in
            let bench = try Bench(directory)
            let file = try directory.write("x", to: "x")
            var session = bench.session
            session.wishes = { origin in
                var wishes = DeliveryWishes()
                wishes.onConflict = origin.host == "h" ? .skip : nil
                return wishes
            }
            var wishes = DeliveryWishes()
            wishes.temporaryName = .off
            func enqueue(_ url: String, _ wishes: DeliveryWishes) throws {
                var all = JobWishes()
                all.delivery = wishes
                let order = Order.upload([try Input(file.utf8)], to: try TransferURL(url), all)
                _ = try Enqueue(session: session, options: OrderOptions()).run(order)
            }
            let error = #expect(throws: CommandError.self) { try enqueue("ftp://h/", wishes) }
            #expect(error?.description.contains("exclude each other") == true)
            try enqueue("ftp://i/", wishes)
            try enqueue("ftp://h/", DeliveryWishes())
            let deliveries = try bench.jobs().map { job -> DeliveryWishes? in
                guard case .upload(let upload) = job.description else { return nil }
                return upload.delivery
            }
            #expect(deliveries == [wishes, nil])
        }
    }

    @Test func `thousands of files are as many jobs, in order`() async throws {
        try await withTemporaryDirectory { directory in
            let bench = try Bench(directory)
            try directory.makeDirectory("in")
            let files = try (0..<2500).map { try directory.write("\($0)", to: "in/\($0)") }
            try bench.upload(files, to: "ftp://h/")
            let jobs = try bench.jobs()
            #expect(jobs.map(\.url.description) == (0..<2500).map { "ftp://h/\($0)" })
            #expect(Set(jobs.map(\.idempotencyKey)).count == 2500)
            #expect(try bench.intake().count == 2500)
            #expect(TestFile.text(try bench.path(of: jobs[2499])) == "2499")
        }
    }

    @Test func `one bad file means no job and no copy`() async throws {
        try await withTemporaryDirectory { directory in
            let bench = try Bench(directory)
            let good = try directory.write("x", to: "good")
            mkfifo(directory.appending("pipe"), 0o600)
            for bad in ["missing", "pipe", ".", "state"] {
                let error = #expect(throws: CommandError.self) {
                    try bench.upload([good, directory.appending(bad)], to: "ftp://h/")
                }
                #expect(error?.status == .usage)
            }
            #expect(throws: CommandError.self) { try bench.upload([good, good], to: "ftp://h/") }
            #expect(try bench.jobs().isEmpty)
            #expect(try bench.intake().isEmpty)
        }
    }

    @Test func `a table that is held makes the command end with nothing left behind`() async throws {
        try await withTemporaryDirectory { directory in
            let bench = try Bench(directory)
            let file = try directory.write("x", to: "x")
            let impatient = try JobTable.openForClient(bench.session.places, busyTimeout: .milliseconds(50))
            let session = Session(
                store: impatient, places: bench.session.places, expires: .seconds(60),
                output: bench.session.output, isDaemonRunning: { false })
            let holder = try await holdTable(directory.appending("state/jobs.db"))
            let order = Order.upload([try Input(file.utf8)], to: try TransferURL("ftp://h/"))
            do {
                _ = try Enqueue(session: session, options: OrderOptions()).run(order)
                Issue.record("the table was not held")
            } catch {
                #expect(CommandError(error).status == .later)
            }
            await holder.kill()
            #expect(try bench.jobs().isEmpty)
            #expect(try bench.intake().isEmpty)
        }
    }

    /// A process that keeps a write transaction open.
    private func holdTable(_ path: String) async throws -> ChildProcess {
        let script = """
            import sqlite3,sys,time
            c=sqlite3.connect(sys.argv[1],isolation_level=None); c.execute('BEGIN IMMEDIATE')
            open(sys.argv[1]+'.held','w').close(); time.sleep(600)
            """
        let child = try ChildProcess.spawn(["python3", "-c", script, path])
        try await eventually("the held table") { TestFile.exists(path + ".held") }
        return child
    }

    @Test func `the parts of a form keep their order, names and types`() async throws {
        try await withTemporaryDirectory { directory in
            let bench = try Bench(directory)
            let file = try directory.write("data", to: "a;b.txt")
            let fields = [
                try FormField(Array("f[]=1".utf8)), try FormField(Array("f[]=@\"\(file)\";type=a/b".utf8)),
                try FormField(verbatim: Array("s=@x".utf8)),
                try FormField(Array("g=@\"\(file)\"".utf8)),
            ]
            let order = Order.form(try TransferURL("http://h/"), fields, headers: [], unknown: .hold)
            _ = try Enqueue(session: bench.session, options: OrderOptions(label: "l")).run(order)
            let job = try #require(try bench.jobs().first)
            // All files of a job lie in the directory that goes with it.
            #expect(try bench.intake().count == 1)
            guard case .form(let form) = job.description else {
                Issue.record("no form")
                return
            }
            #expect(form.parts.map(\.name) == ["f[]", "f[]", "s", "g"])
            #expect(form.parts[0].content == .text("1"))
            #expect(form.parts[2].content == .text("@x"))
            #expect(form.parts[1].file?.name == FileName("a;b.txt"))
            #expect(form.unknownOutcome == .hold)
            #expect(job.label == "l")
            #expect(TestFile.text(try bench.path(of: job)) == "data")
        }
    }

    @Test func `a job file is one transaction, or nothing at all`() async throws {
        try await withTemporaryDirectory { directory in
            let bench = try Bench(directory)
            let file = try directory.write("data", to: "a.txt")
            let upload = #"{"kind":"upload","url":"ftp://h/in/","file":"\#(file)","priority":3}"#
            let form =
                #"{"kind":"form","url":"http://h/","label":"two","fields":[["@f","\#(file)"],["g","1"],["@f","\#(file)"]]}"#
            func enqueue(_ text: String) throws -> [JobID] {
                let path = try #require(FilePath(try directory.write(text, to: "jobs")))
                return try Enqueue(session: bench.session, options: OrderOptions())
                    .run(.jobs(from: .file(path)))
            }
            let missing = #"{"kind":"upload","url":"ftp://h/in/","file":"/nowhere"}"#
            for wrong in [missing, #"{"kind":"form","url":"http://h/","fields":[["@f","/nowhere"]]}"#] {
                let error = #expect(throws: CommandError.self) { try enqueue("\(upload)\n\(form)\n\(wrong)") }
                #expect(error?.description.contains("line 3: cannot read '/nowhere'") == true)
                #expect(try bench.jobs().isEmpty)
                #expect((try? bench.intake().isEmpty) ?? true)
            }
            #expect(try enqueue("\(upload)\n\(form)").count == 2)
            let jobs = try bench.jobs()
            #expect(jobs.map(\.kind) == [.upload, .form])
            #expect(jobs.map(\.priority) == [3, 0])
            #expect(jobs.map(\.label) == [nil, "two"])
            #expect(jobs[1].description.sources.map(\.path.bytes.last) == [0x30, 0x31])
            #expect(try bench.intake().count == 2)
        }
    }
}
