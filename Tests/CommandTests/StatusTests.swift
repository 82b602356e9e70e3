import Testing
import TransferModel

@testable import TransferCommand

@Suite("What status says")
struct StatusSuite {
    private let now = Timestamp(rawValue: 1_000_000)

    @Test func `columns are aligned and those that nobody needs are left out`() throws {
        let jobs = [
            try Job.sample(7, state: .running(since: now), offset: 512, limit: 1024),
            try Job.sample(12, url: "ftp://host/other", limit: 2048),
        ]
        let lines = StatusTable(width: nil).lines(jobs.map { JobLine($0, speed: nil, now: now) })
        #expect(
            lines == [
                "ID  STATE    KIND      %  DONE/SIZE  WHERE",
                " 7  running  upload  50%     512/1K  ftp://host/name",
                "12  queued   upload   0%       0/2K  ftp://host/other",
            ])
        #expect(StatusTable(width: nil).lines([]).isEmpty)
    }

    @Test(arguments: [60, 80, 100, 200])
    func `no line is wider than the terminal`(width: Int) throws {
        let failure = Failure(.temporary, text: String(repeating: "日本 quota exceeded ", count: 20))
        let url = "ftp://host/" + String(repeating: "directory/", count: 20)
        let job = try Job.sample(
            url: url, state: .queued(retryAt: now + .seconds(240)), attempts: 2, failure: failure)
        for line in StatusTable(width: width).lines([JobLine(job, speed: nil, now: now)]) {
            #expect(DisplayWidth.of(line) <= width)
        }
    }

    @Test func `a waiting job shows its try, when it goes on, and why it waits`() throws {
        let failure = Failure(.temporary, code: 452, text: "452 disk quota exceeded")
        let job = try Job.sample(state: .queued(retryAt: now + .seconds(240)), attempts: 2, failure: failure)
        let line = JobLine(job, speed: nil, now: now)
        #expect(line.attempt == "3")
        #expect(line.next == "in 4m")
        #expect(line.error == "452 disk quota exceeded")
        let later = try Job.sample(notBefore: now + .seconds(7200))
        #expect(JobLine(later, speed: nil, now: now).next == "in 2h")
        #expect(JobLine(try .sample(state: .held(.unknownOutcome)), speed: nil, now: now).next == "at retry")
        #expect(JobLine(try .sample(state: .held(.byRequest)), speed: nil, now: now).next == "at release")
        #expect(
            JobLine(try .sample(state: .done(at: now), failure: failure), speed: nil, now: now).error.isEmpty)
    }

    @Test func `a job that waits for another one names it`() throws {
        let job = try Job.sample(9, state: .queued(retryAt: now + .seconds(3600)))
        let before = JobID(rawValue: 7)
        #expect(JobLine(job, speed: nil, behind: before, now: now).next == "after job 7")
        let tomorrow = try Job.sample(9, notBefore: now + .seconds(7200))
        #expect(JobLine(tomorrow, speed: nil, behind: before, now: now).next == "in 2h")
        let report = JobReport(
            job: job, attempts: [], places: try places("/s"), now: now, predecessor: before)
        #expect(report.lines.contains("next      after job 7"))
        #expect(!report.lines.contains { $0.hasPrefix("retry at") })
    }

    @Test func `show tells what was wished of an upload`() throws {
        let source = SourceFile(
            root: .intake, path: try #require(FilePath("t/0")), name: try #require(FileName("n")))
        var delivery = DeliveryWishes()
        delivery.onConflict = .rename
        delivery.before = []
        delivery.afterSent = [try NameTemplate("SITE A"), try NameTemplate("SITE B")]
        let job = try Job.sample(description: .upload(UploadDescription(source: source, delivery: delivery)))
        let lines = JobReport(job: job, attempts: [], places: try places("/s"), now: now).lines
        for line in [
            "on_conflict  rename", "before       none", "after_sent   SITE A", "after_sent   SITE B",
        ] {
            #expect(lines.contains(line), "\(line)")
        }
        let json = JobRecord(job, places: try places("/s")).json(with: []).text
        #expect(
            json.contains(
                #""options":{"on_conflict":"rename","before":[],"after_sent":["SITE A","SITE B"]}"#))
    }

    @Test func `text of a server cannot move the cursor`() throws {
        let failure = Failure(.permanent, text: "550 \u{1b}[2J\u{9b}2J\r\nno")
        let line = JobLine(try .sample(state: .failed(at: now), failure: failure), speed: nil, now: now)
        #expect(line.error == "550 \\x1b[2J\\xc2\\x9b2J\\x0d\\x0ano")
        let reply = Reply(status: 200, body: Array("ok\r\n\u{1b}]0;x\u{07}".utf8) + [0xff])
        let job = try Job.sample(state: .done(at: now), reply: reply, label: "a")
        let report = JobReport(job: job, attempts: [], places: try places("/s"), now: now)
        #expect(report.lines.suffix(3) == ["answer 200, 11 bytes", "  ok", "  \\x1b]0;x\\x07\\xff"])
    }

    @Test func `a line of JSON has every name, null where there is nothing`() throws {
        let json = JobRecord(try .sample(5, label: "a\"b\n"), places: try places("/s")).json.text
        #expect(
            json == #"{"id":5,"kind":"upload","state":"queued","request":null,"route":null,"#
                + #""origin":"ftp://host:21","url":"ftp://host/name","source":"/s/intake/token/0","#
                + #""destination":null,"offset":0,"limit":null,"priority":0,"attempts":0,"not_before":null,"#
                + #""retry_at":null,"expires_at":"1970-01-12T13:46:40.000Z","#
                + #""created_at":"1970-01-01T00:00:00.000Z","started_at":null,"finished_at":null,"#
                + #""label":"a\"b\n","rate":null,"error":null,"reply":null,"digest":null}"#)
    }

    @Test func `JSON names the error and the reply, and foreign text stays harmless`() throws {
        let failure = Failure(.unknownOutcome, curl: 56, text: "reset\u{1b}\u{9b}")
        let reply = Reply(status: 500, body: Array("é\u{1b}".utf8) + [0xc3])
        let job = try Job.sample(state: .held(.unknownOutcome), failure: failure, reply: reply)
        let json = JobRecord(job, places: try places("/s")).json.text
        #expect(
            json.contains(#""error":{"class":"unknown","curl":56,"code":null,"text":"reset\u001b\u009b"}"#))
        #expect(json.contains("\"reply\":{\"status\":500,\"body\":\"é\\u001b\u{fffd}\"}"))
    }

    @Test func `show adds the attempts and the order`() throws {
        let directory = try #require(FilePath("/d"))
        let target = try #require(FilePath("sub/x"))
        let job = try Job.sample(
            url: "http://h/x",
            description: .download(DownloadDescription(directory: directory, target: target)))
        let attempt = Attempt(
            job: job.id, number: 1, startedAt: now, endedAt: now + .seconds(1), endOffset: ByteCount(9),
            failure: Failure(.temporary, text: "cut"))
        let json = JobRecord(job, places: try places("/s")).json(with: [attempt]).text
        #expect(json.contains(#""destination":"/d/sub/x""#))
        #expect(json.contains(#""attempts_log":[{"number":1,"started_at":"1970-01-01T00:16:40.000Z","#))
        #expect(json.contains(#""start_offset":0,"end_offset":9,"error":{"class":"temporary""#))
        #expect(
            json.hasSuffix(
                #""spec":{"directory":"/d","target":"sub/x","checksums":[],"checksum_url":null,"mirrors":[],"#
                    + #""options":null}}"#))
    }

    @Test func `the exit status of wait tells the worst`() throws {
        let done = try Job.sample(1, state: .done(at: now))
        let held = try Job.sample(2, state: .held(.byRequest))
        let failed = try Job.sample(3, state: .failed(at: now), failure: Failure(.permanent, text: "550 no"))
        func result(_ ended: [Job], _ pending: [Int64] = []) -> WaitResult {
            var result = WaitResult(pending: pending.map { JobID(rawValue: $0) }, timeout: .seconds(9))
            result.arrived = ended.count { $0.state.name == .done }
            result.missed = ended.filter { $0.state.name != .done }
            return result
        }
        #expect(result([done]).status == .success)
        #expect(result([done]).sentence == nil)
        #expect(result([done, held]).status == .later)
        #expect(result([done], [4]).status == .later)
        #expect(result([done], [4]).sentence == "job 4 is not over after 9s")
        #expect(result([done, failed, held], [4]).status == .notArrived)
        #expect(result([done, failed]).sentence == "job 3 has failed: 550 no")
        #expect(
            result([done, failed, held], [4]).sentence
                == "3 of 4 jobs did not arrive: 3 failed, 2 held, 1 not over after 9s")
    }
}
