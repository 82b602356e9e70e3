import Testing
import TransferModel

@testable import TransferStore

/// A row gives back the value that it was made from.
@Suite struct RowTests {
    static let states: [JobState] = [
        .queued(retryAt: nil), .queued(retryAt: Example.now), .running(since: Example.now + .seconds(2)),
        .held(.byRequest), .held(.unknownOutcome), .done(at: Example.now), .failed(at: Example.now),
        .cancelled(at: Example.now), .expired(at: Example.now),
    ]

    private func fullCheckpoint() -> Checkpoint {
        var checkpoint = Checkpoint()
        checkpoint.source = FileIdentity(device: .max, inode: .max, size: ByteCount(5), modified: .min)
        checkpoint.remoteTemporary = FilePath(bytes: [0xc3, 0x28, 0x0a])
        checkpoint.verified = ByteCount(9)
        checkpoint.chosenName = FileName("x-1")
        checkpoint.isInPlace = true
        checkpoint.isLeftOut = false
        checkpoint.proof = "size 9 by SIZE"
        if let name = FileName("é") {
            checkpoint.localTemporary = Checkpoint.LocalTemporary(name: name, device: 1, inode: 2)
        }
        checkpoint.validator = Checkpoint.Validator(
            entityTag: "\"x\"", lastModified: "L", date: "D", total: ByteCount(3))
        return checkpoint
    }

    /// A job in `state` with a value in every column that the state allows.
    private func job(_ new: NewJob, _ state: JobState) -> Job {
        var job = Job(admitting: new)
        job.enter(state)
        job.startedAt = job.startedAt ?? Example.now
        job.request = state.name == .running ? .cancel : nil
        job.startOffset = ByteCount(9)
        (job.offset, job.limit, job.highWater) = (ByteCount(11), ByteCount(22), ByteCount(33))
        job.stage = job.kind == .form ? .sealed : .renaming
        job.checkpoint = fullCheckpoint()
        job.attempts = 4
        job.lastFailure = Failure(
            .local, scope: .login, curl: 7, code: -3, text: "words\n\0", retryAfter: .milliseconds(1))
        job.reply = Reply(status: 200, body: [0, 1, 255])
        job.digest = "sha256:aa"
        job.isAhead = state.name == .running
        return job
    }

    @Test func `a job's wishes come back, and those of a job from before there were any are none`() throws {
        var delivery = DeliveryWishes()
        delivery.temporaryName = try TemporaryName("in/{name}.{id}")
        delivery.onConflict = .skip
        delivery.verification = .readBack
        delivery.resuming = .restart
        delivery.keepsModified = true
        delivery.permissions = Permissions("640")
        delivery.transferType = .ascii
        delivery.before = []
        delivery.afterSent = [try NameTemplate("SITE {{ {path}")]
        delivery.marker = try NameTemplate("{name}.done")
        delivery.checksumFile = try NameTemplate("{name}.sha256")
        let source = try Example.file()
        let description = JobDescription.upload(UploadDescription(source: source, delivery: delivery))
        let text = try JSONText.encode(description)
        #expect(JSONText.decode(JobDescription.self, Array(text.utf8)) == description)
        let bare = JobDescription.upload(UploadDescription(source: source))
        let old = try JSONText.encode(bare)
        #expect(!old.contains("delivery"))
        #expect(JSONText.decode(JobDescription.self, Array(old.utf8)) == bare)
    }

    @Test func `the directories of the intake are those of jobs whose files still stand`() throws {
        let table = try StatePlaces().daemon()
        func file(_ path: String) throws -> SourceFile {
            SourceFile(
                root: .intake, path: try Example.unwrap(FilePath(path)),
                name: try Example.unwrap(FileName("n")))
        }
        func job(_ key: String, _ description: JobDescription) throws -> NewJob {
            var new = try Example.upload(key: key)
            if case .form = description { new.url = try Example.url("http://h/") }
            new.description = description
            return new
        }
        let gone = try table.admitRunning(job("4", .upload(UploadDescription(source: try file("gone/0")))))
        try table.commit(.ended(gone, Example.ending(.done(at: Example.now))), .disposed(gone, nil))
        let parts = [
            FormPart(name: "a", content: .text("x")),
            FormPart(name: "b", content: .file(try Example.file(), type: nil, filename: nil)),
            FormPart(name: "c", content: .file(try file("two/0"), type: nil, filename: nil)),
        ]
        _ = try table.admit(job("1", .upload(UploadDescription(source: try file("one/0")))))
        _ = try table.admit(job("2", .form(FormDescription(parts: parts))))
        _ = try table.admit(Example.upload(key: "3"))
        #expect(Set(try table.intakeDirectories().map(\.description)) == ["one", "two"])
    }

    @Test(arguments: states, JobKind.allCases)
    func `every state of every kind comes back as it was`(state: JobState, kind: JobKind) throws {
        let places = try StatePlaces()
        let table = try places.daemon()
        let new =
            switch kind {
            case .upload: try Example.upload(key: "u")
            case .form: try Example.form(key: "f", policy: .retry)
            case .download: try Example.download(key: "d")
            case .remote: try Example.remote(key: "r")
            }
        let written = job(new, state)
        let id = try table.connection.transaction(.writing) { () throws(SQLiteError) in
            try table.insert(written)
        }
        let read = try table.found(id)
        #expect(read == written.withNumber(id, new))
        try table.connection.transaction(.writing) { () throws(SQLiteError) in
            try table.update(read, from: read)
        }
        #expect(try table.found(id) == read)
    }

    @Test func `an empty text and an empty body are not missing ones`() throws {
        let places = try StatePlaces()
        let table = try places.daemon()
        var new = try Example.upload(key: "u")
        new.label = ""
        var written = job(new, .done(at: Example.now))
        written.reply = Reply(status: 1, body: [])
        let id = try table.insert(written)
        #expect(try table.found(id).label == "" && table.found(id).reply == written.reply)
    }

    @Test(arguments: Failure.Class.allCases)
    func `every class of failure comes back`(failureClass: Failure.Class) throws {
        let places = try StatePlaces()
        let table = try places.daemon()
        var written = job(try Example.upload(key: "u"), .failed(at: Example.now))
        written.lastFailure = Failure(failureClass, text: "")
        #expect(try table.found(table.insert(written)).lastFailure == written.lastFailure)
    }

    @Test func `each column has a name`() throws {
        #expect(Set(JobColumn.allCases.map(\.name)).count == JobColumn.allCases.count)
    }

    @Test(arguments: [
        "UPDATE jobs SET state = 'running'", "UPDATE jobs SET request = 'cancel'",
        "UPDATE jobs SET finished_at = 1", "UPDATE jobs SET state = 'held'",
        "UPDATE jobs SET retry_at = 1, state = 'held', hold_reason = 'byRequest'",
        "UPDATE jobs SET stage = 'sealed'", "UPDATE jobs SET failure_class = 'temporary'",
        "UPDATE jobs SET state = 'lost'",
        "UPDATE jobs SET priority = 'high'", "DELETE FROM job_counts WHERE jobs < 'x' AND raise(FAIL, 'x')",
    ])
    func `the table refuses what is no state`(sql: String) throws {
        let places = try StatePlaces()
        let table = try places.daemon()
        _ = try table.admit(Example.upload(key: "a"))
        #expect(throws: SQLiteError.self) { try table.connection.execute(sql) }
    }

    @Test func `a row that no transferd wrote is named, not guessed at`() async throws {
        let places = try StatePlaces()
        let table = try places.daemon()
        let id = try table.admit(Example.upload(key: "a"))
        try await places.sqlite3("UPDATE jobs SET spec = 'x'")
        #expect(storeError { try table.found(id) }?.description.contains("job \(id): column spec") == true)
    }
}

extension Job {
    fileprivate func withNumber(_ id: JobID, _ new: NewJob) -> Job {
        Job(
            id: id, new: new, state: state, request: request, startOffset: startOffset,
            offset: offset, limit: limit, highWater: highWater,
            stage: stage, checkpoint: checkpoint, attempts: attempts, startedAt: startedAt,
            finishedAt: finishedAt,
            lastFailure: lastFailure, reply: reply, digest: digest, disposed: disposed, isAhead: isAhead)
    }
}
