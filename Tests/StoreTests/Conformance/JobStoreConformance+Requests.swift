import Testing
import TransferModel

extension JobStoreConformance {
    @Test(arguments: JobStoreKind.all)
    func `a waiting job is cancelled, held and released at once`(kind: JobStoreKind) throws {
        let open = try kind.open()
        let id = try open.store.admit(Example.upload(key: "a"))
        let other = try open.another()
        #expect(try other.request(.hold, of: id, at: Example.now) == .applied(.held(.byRequest)))
        #expect(try open.store.claim(try Example.url().origin).isEmpty)
        #expect(try other.request(.release, of: id, at: Example.now) == .applied(.queued(retryAt: nil)))
        #expect(try other.request(.cancel, of: id, at: Example.now) == .applied(.cancelled(at: Example.now)))
        #expect(try open.store.found(id).finishedAt == Example.now)
        #expect(try open.store.undisposed(limit: 9).map(\.id) == [id])
    }

    @Test(arguments: JobStoreKind.all)
    func `a running job gets the request for the daemon to answer`(kind: JobStoreKind) throws {
        let open = try kind.open()
        let id = try open.store.admitRunning(Example.upload(key: "a"))
        #expect(try open.another().request(.cancel, of: id, at: Example.now) == .asked)
        #expect(try open.store.requests().map(\.id) == [id])
        #expect(try open.store.found(id).request == .cancel)
        try open.store.commit(.answered(id, state: nil))
        #expect(try open.store.requests().isEmpty)
        #expect(try open.store.found(id).state == .running(since: Example.now))
    }

    @Test(arguments: JobStoreKind.all)
    func `done wins over a request that came before it was recorded`(kind: JobStoreKind) throws {
        let store = try kind.open().store
        let id = try store.admitRunning(Example.upload(key: "a"))
        _ = try store.request(.cancel, of: id, at: Example.now)
        try store.commit(.ended(id, Example.ending(.done(at: Example.now))))
        let job = try store.found(id)
        #expect(job.state == .done(at: Example.now) && job.request == nil)
    }

    @Test(
        arguments: JobStoreKind.all,
        [(JobRequest.cancel, JobState.cancelled(at: Example.now)), (.hold, .held(.byRequest))])
    func `a request that came before a failed attempt was recorded is not lost`(
        kind: JobStoreKind, pair: (request: JobRequest, state: JobState)
    ) throws {
        let store = try kind.open().store
        let id = try store.admitRunning(Example.upload(key: "a"))
        _ = try store.request(pair.request, of: id, at: Example.now)
        let failure = Failure(.temporary, text: "no")
        try store.commit(
            .ended(id, Example.ending(.queued(retryAt: Example.now + .seconds(9)), failure: failure)))
        let job = try store.found(id)
        #expect(job.state == pair.state && job.request == nil)
    }

    @Test(arguments: JobStoreKind.all)
    func `requests that make no sense are refused in words, unknown jobs named as such`(
        kind: JobStoreKind
    ) throws {
        let store = try kind.open().store
        let id = try store.admit(Example.upload(key: "a"))
        #expect(try store.request(.release, of: id, at: Example.now) == .refused("it is not held"))
        #expect(
            try store.request(.cancel, of: JobID(rawValue: 999), at: Example.now) == .unknownJob)
        _ = try store.claim(try Example.url().origin)
        #expect(try store.request(.retry, of: id, at: Example.now) == .refused("it is running"))
    }

    @Test(arguments: JobStoreKind.all)
    func `an unknown outcome is lifted by retry alone, and then the form is not sealed`(
        kind: JobStoreKind
    ) throws {
        let store = try kind.open().store
        let id = try store.admitRunning(Example.form(key: "f"))
        try store.commit(.staged(id, .sealed, Checkpoint()))
        let failure = Failure(.unknownOutcome, text: "no answer")
        try store.commit(
            .ended(
                id, Example.ending(.held(.unknownOutcome), failure: failure, attempts: 2, stage: .sealed)))
        guard case .refused = try store.request(.release, of: id, at: Example.now) else {
            Issue.record("release was not refused")
            return
        }
        #expect(try store.request(.retry, of: id, at: Example.now) == .applied(.queued(retryAt: nil)))
        let job = try store.found(id)
        #expect(job.stage == .sending && job.attempts == 0 && job.lastFailure == failure)
    }

    @Test(arguments: JobStoreKind.all)
    func `retry of a failed job starts the count again and grants its time anew`(kind: JobStoreKind) throws {
        let store = try kind.open().store
        let id = try store.admitRunning(Example.upload(key: "a"))
        let failure = Failure(.permanent, text: "550 no")
        let reply = Reply(status: 550, body: [])
        try store.commit(
            .ended(
                id,
                Example.ending(
                    .failed(at: Example.now), failure: failure, attempts: 10, offset: 400, reply: reply)))
        let moved = JobDescription.upload(UploadDescription(source: try Example.file(.spool, "moved")))
        try store.commit(.disposed(id, moved))
        #expect(try store.found(id).disposed)
        let later = Example.now + .seconds(2 * 86_400)
        #expect(try store.request(.retry, of: id, at: later) == .applied(.queued(retryAt: nil)))
        let job = try store.found(id)
        #expect(job.attempts == 0 && job.reply == nil && job.finishedAt == nil && job.lastFailure == failure)
        #expect(job.offset == ByteCount(400) && job.expiresAt == later + .seconds(86_400))
        #expect(!job.disposed && job.description == moved)
    }

    @Test(arguments: JobStoreKind.all)
    func `an upload retried after its end begins anew under another temporary name`(kind: JobStoreKind) throws
    {
        let store = try kind.open().store
        let id = try store.admitRunning(Example.upload(key: "a"))
        var checkpoint = Checkpoint()
        checkpoint.remoteTemporary = FilePath("in/.a.1.part")
        checkpoint.verified = ByteCount(9)
        for life in 2...3 {
            try store.commit(
                .staged(id, .renaming, checkpoint),
                .ended(id, Example.ending(.failed(at: Example.now), attempts: 10, stage: .renaming)))
            _ = try store.request(.retry, of: id, at: Example.now)
            var fresh = Checkpoint()
            fresh.life = life
            let job = try store.found(id)
            #expect(job.checkpoint == fresh)
            #expect(job.stage == .sending)
            checkpoint.life = life
            #expect(try store.claim(job.origin).map(\.id) == [id])
        }
    }

    @Test(arguments: JobStoreKind.all)
    func `an upload that is in place is not sent again by a retry`(kind: JobStoreKind) throws {
        let store = try kind.open().store
        let id = try store.admitRunning(Example.upload(key: "a"))
        var checkpoint = Checkpoint()
        checkpoint.isInPlace = true
        try store.commit(
            .staged(id, .renaming, checkpoint),
            .ended(id, Example.ending(.failed(at: Example.now), attempts: 1, stage: .renaming)))
        _ = try store.request(.retry, of: id, at: Example.now)
        #expect(try store.found(id).checkpoint == checkpoint)
    }

    @Test(arguments: JobStoreKind.all)
    func `retry of a cancelled job whose files are gone is refused`(kind: JobStoreKind) throws {
        let store = try kind.open().store
        let id = try store.admit(Example.form(key: "f"))
        _ = try store.request(.cancel, of: id, at: Example.now)
        try store.commit(.disposed(id, nil))
        #expect(
            try store.request(.retry, of: id, at: Example.now)
                == .refused("its files are gone; enqueue it again"))
        let download = try store.admit(Example.download(key: "d"))
        _ = try store.request(.cancel, of: download, at: Example.now)
        #expect(
            try store.request(.retry, of: download, at: Example.now) == .applied(.queued(retryAt: nil)))
    }
}
