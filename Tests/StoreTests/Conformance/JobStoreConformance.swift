import Testing
import TransferModel

/// The behaviour that every job store has: run against each of ``JobStoreKind/all``.
@Suite struct JobStoreConformance {
    @Test(arguments: JobStoreKind.all)
    func `an admitted job is there as it was asked for, queued and due at once`(kind: JobStoreKind) throws {
        let store = try kind.open().store
        let new = try Example.upload(key: "one")
        let job = try store.found(store.admit(new))
        #expect(job.state == .queued(retryAt: nil))
        #expect(job.url == new.url && job.description == new.description && job.route == "lab")
        #expect(job.limit == ByteCount(1_000) && job.offset == .zero && job.attempts == 0)
        #expect(job.expiresAt == new.expiresAt && job.createdAt == Example.now && job.startedAt == nil)
        #expect(!job.disposed)
    }

    @Test(arguments: JobStoreKind.all)
    func `numbers go up and follow the order of admission`(kind: JobStoreKind) throws {
        let store = try kind.open().store
        let committed = try store.commit(
            .admitted(Example.upload(key: "a")), .admitted(Example.form(key: "b")),
            .admitted(Example.download(key: "c")))
        #expect(committed.admitted == committed.admitted.sorted() && Set(committed.admitted).count == 3)
        #expect(try store.found(committed.admitted[1]).kind == .form)
    }

    @Test(arguments: JobStoreKind.all)
    func `the same idempotency key admitted again is the same job`(kind: JobStoreKind) throws {
        let store = try kind.open().store
        let first = try store.admit(Example.upload(key: "same"))
        #expect(try store.admit(Example.upload(key: "same")) == first)
        #expect(try store.counts() == [.queued: 1])
    }

    @Test(arguments: JobStoreKind.all)
    func `a download that did not arrive is to be disposed of, one that did is not`(kind: JobStoreKind) throws
    {
        let store = try kind.open().store
        let ids = try ["cancelled", "arrived"].map { try store.admitRunning(Example.download(key: $0)) }
        try store.commit(
            .ended(ids[0], Example.ending(.cancelled(at: Example.now))),
            .ended(ids[1], Example.ending(.done(at: Example.now))))
        #expect(try store.undisposed(limit: 9).map(\.id) == [ids[0]])
        try store.commit(.disposed(ids[0], nil))
        #expect(try store.undisposed(limit: 9).isEmpty)
    }

    @Test(arguments: JobStoreKind.all)
    func `a job that owns no files is disposed of from the start`(kind: JobStoreKind) throws {
        let store = try kind.open().store
        let directory = try Example.unwrap(FilePath("/srv/data"))
        #expect(try store.found(store.admit(Example.upload(key: "p", root: .inPlace(directory)))).disposed)
        #expect(try !store.found(store.admit(Example.form(key: "i"))).disposed)
    }

    @Test(arguments: JobStoreKind.all)
    func `an empty turn does nothing`(kind: JobStoreKind) throws {
        #expect(try kind.open().store.commit(Turn(), at: Example.now) == Committed())
    }

    @Test(arguments: JobStoreKind.all)
    func `what one store commits another finds, and only the other sees it as foreign`(
        kind: JobStoreKind
    ) throws {
        let open = try kind.open()
        let other = try open.another()
        _ = try open.store.hasForeignChanges()
        _ = try other.hasForeignChanges()
        let id = try other.admit(Example.upload(key: "foreign"))
        #expect(try open.store.hasForeignChanges())
        #expect(try !open.store.hasForeignChanges())
        #expect(try !other.hasForeignChanges())
        #expect(try open.store.found(id).idempotencyKey == "foreign")
    }

    @Test(arguments: JobStoreKind.all)
    func `two thousand jobs of one turn are all there`(kind: JobStoreKind) throws {
        let store = try kind.open().store
        let turn = Turn(changes: try (0..<2_000).map { .admitted(try Example.upload(key: "k\($0)")) })
        let admitted = try store.commit(turn, at: Example.now).admitted
        #expect(Set(admitted).count == 2_000)
        #expect(try store.counts() == [.queued: 2_000])
    }
}
