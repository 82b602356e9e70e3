import Testing
import TransferModel

extension JobStoreConformance {
    private var broken: Failure {
        Failure(
            .temporary, scope: .origin, curl: 56, code: 426, text: "426 Connection closed",
            retryAfter: .milliseconds(1_500))
    }

    @Test(arguments: JobStoreKind.all)
    func `each claim opens an attempt, numbered from 1, and its end closes it`(kind: JobStoreKind) throws {
        let store = try kind.open().store
        let id = try store.admitRunning(Example.upload(key: "a"))
        let retry = JobState.queued(retryAt: Example.now + .seconds(30))
        try store.commit(
            .progressed(id, Advance(start: .zero, offset: ByteCount(400), limit: ByteCount(1_000))))
        try store.commit(
            .ended(id, Example.ending(retry, failure: broken, attempts: 1, offset: 500)),
            at: Example.now + .seconds(5))
        _ = try store.claim(try Example.url().origin, at: Example.now + .seconds(30))
        let attempts = try store.attempts(of: id)
        #expect(
            attempts == [
                Attempt(
                    job: id, number: 1, startedAt: Example.now, endedAt: Example.now + .seconds(5),
                    endOffset: ByteCount(500), failure: broken),
                Attempt(
                    job: id, number: 2, startedAt: Example.now + .seconds(30), startOffset: ByteCount(500),
                    endOffset: ByteCount(500)),
            ])
    }

    @Test(arguments: JobStoreKind.all)
    func `a claimed job that was returned waits again and has made no attempt`(kind: JobStoreKind) throws {
        let store = try kind.open().store
        let id = try store.admit(Example.upload(key: "a"))
        let before = try store.found(id)
        _ = try store.claim(before.origin)
        try store.commit(.returned(id))
        #expect(try store.found(id) == before)
        #expect(try store.attempts(of: id).isEmpty)
        _ = try store.claim(before.origin)
        _ = try store.request(.hold, of: id, at: Example.now)
        try store.commit(.returned(id))
        #expect(try store.found(id).state == .held(.byRequest))
    }

    @Test(arguments: JobStoreKind.all)
    func `a job claimed ahead is in no attempt before it is started`(kind: JobStoreKind) throws {
        let store = try kind.open().store
        let ids = try ["a", "b", "c"].map { try store.admit(Example.upload(key: $0)) }
        let origin = try Example.url().origin
        let claim = Turn.Claim(origin: origin, count: 1, ahead: 2)
        let claimed = try store.commit(Turn(claims: [claim]), at: Example.now).claimed
        #expect(claimed.map(\.id) == ids && claimed.map(\.isAhead) == [false, true, true])
        #expect(try claimed == ids.map { try store.found($0) })
        #expect(try ids.map { try store.attempts(of: $0).count } == [1, 0, 0])
        let later = Example.now + .seconds(1)
        try store.commit(
            .ended(ids[0], Example.ending(.done(at: later))), .started(ids[1], at: later), at: later)
        #expect(try store.found(ids[1]).state == .running(since: later))
        #expect(try store.attempts(of: ids[1]).map(\.startedAt) == [later])
        try store.commit(
            .returned(ids[2]), .started(ids[0], at: later), .started(ids[2], at: later), at: later)
        #expect(try store.found(ids[2]).state == .queued(retryAt: nil))
        #expect(try store.found(ids[0]).state.name == .done)
        #expect(try store.claim(origin, at: later).map(\.id) == [ids[2]])
    }

    @Test(arguments: JobStoreKind.all)
    func `the end of a job tells whether it let another one go`(kind: JobStoreKind) throws {
        let store = try kind.open().store
        let address = "ftp://user@files.example:2121/in/same"
        let ids = try ["old", "new"].map { try store.admit(Example.upload(to: address, key: $0)) }
        for (id, releases) in zip(ids, [true, false]) {
            #expect(try store.claim(Example.url().origin).map(\.id) == [id])
            let end = JobChange.ended(id, Example.ending(.done(at: Example.now)))
            #expect(try store.commit(end).hasReleased == releases)
        }
    }

    @Test(arguments: JobStoreKind.all)
    func `a failed attempt leaves the job waiting with its count, offset and error`(
        kind: JobStoreKind
    ) throws {
        let store = try kind.open().store
        let id = try store.admitRunning(Example.upload(key: "a"))
        let retryAt = Example.now + .seconds(30)
        try store.commit(
            .ended(
                id, Example.ending(.queued(retryAt: retryAt), failure: broken, attempts: 3, offset: 700)))
        let job = try store.found(id)
        #expect(job.state == .queued(retryAt: retryAt) && job.attempts == 3 && job.lastFailure == broken)
        #expect(job.offset == ByteCount(700) && job.highWater == ByteCount(700) && job.finishedAt == nil)
        #expect(try store.claim(job.origin).isEmpty)
        #expect(try store.demands().map(\.nextDue) == [retryAt])
        #expect(try store.claim(job.origin, at: retryAt).map(\.id) == [id])
    }

    @Test(arguments: JobStoreKind.all)
    func `success clears the last error and keeps reply and digest`(kind: JobStoreKind) throws {
        let store = try kind.open().store
        let id = try store.admitRunning(Example.form(key: "f"))
        try store.commit(
            .ended(id, Example.ending(.queued(retryAt: nil), failure: broken, attempts: 1)))
        _ = try store.claim(try Example.url("https://web.example/").origin)
        let reply = Reply(status: 201, body: [0, 255, 10] + Array("ok".utf8))
        var ending = Example.ending(.done(at: Example.now), offset: 1_000, stage: .sealed, reply: reply)
        ending.digest = "sha256:00"
        try store.commit(.ended(id, ending))
        let job = try store.found(id)
        #expect(job.state == .done(at: Example.now) && job.finishedAt == Example.now)
        #expect(job.lastFailure == nil && job.reply == reply && job.digest == "sha256:00")
        #expect(try store.attempts(of: id).map(\.failure) == [broken, nil])
    }

    @Test(arguments: JobStoreKind.all)
    func `progress and stage of a running job are kept, of any other ignored`(kind: JobStoreKind) throws {
        let store = try kind.open().store
        let waiting = try store.admit(Example.upload(key: "waiting", priority: -1))
        let id = try store.admitRunning(Example.upload(key: "runs"))
        var checkpoint = Checkpoint()
        checkpoint.remoteTemporary = FilePath(bytes: [0xff, 0x0a])
        checkpoint.verified = ByteCount(7)
        for job in [id, waiting] {
            try store.commit(
                .progressed(job, Advance(start: ByteCount(5), offset: ByteCount(6), limit: nil)),
                .staged(job, .renaming, checkpoint))
        }
        let job = try store.found(id)
        #expect(job.offset == ByteCount(6) && job.limit == nil)
        try store.commit(
            .staged(
                id, .sending, Checkpoint(),
                Advance(start: ByteCount(1), offset: ByteCount(2), limit: ByteCount(3))))
        let moved = try store.found(id)
        #expect(
            moved.startOffset == ByteCount(1) && moved.offset == ByteCount(2) && moved.limit == ByteCount(3))
        #expect(moved.stage == .sending && moved.checkpoint == Checkpoint())
        #expect(job.stage == .renaming && job.checkpoint == checkpoint)
        #expect(try store.attempts(of: id).map(\.startOffset) == [ByteCount(1)])
        let other = try store.found(waiting)
        #expect(other.offset == .zero && other.stage == .sending && other.checkpoint == Checkpoint())
    }

    @Test(arguments: JobStoreKind.all)
    func `the end of a job that does not run is ignored`(kind: JobStoreKind) throws {
        let store = try kind.open().store
        let id = try store.admit(Example.upload(key: "a"))
        try store.commit(.ended(id, Example.ending(.done(at: Example.now))))
        #expect(try store.found(id).state == .queued(retryAt: nil))
    }

    @Test(arguments: JobStoreKind.all)
    func `a new attempt of a form is not sealed by the last one`(kind: JobStoreKind) throws {
        let store = try kind.open().store
        let id = try store.admitRunning(Example.form(key: "f"))
        try store.commit(.staged(id, .sealed, Checkpoint()))
        try store.commit(.ended(id, Example.ending(.queued(retryAt: nil), attempts: 1, stage: .sealed)))
        #expect(try store.claim(try Example.url("https://web.example/").origin).map(\.stage) == [.sending])
    }
}
