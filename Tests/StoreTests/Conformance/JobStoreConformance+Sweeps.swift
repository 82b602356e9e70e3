import Testing
import TransferModel

extension JobStoreConformance {
    @Test(arguments: JobStoreKind.all)
    func `a sweep ends waiting and held jobs past their time, not running ones`(kind: JobStoreKind) throws {
        let store = try kind.open().store
        let soon = Example.now + .seconds(10)
        let running = try store.admitRunning(Example.upload(key: "running", expiresAt: soon))
        let waiting = try store.admit(Example.upload(key: "waiting", expiresAt: soon))
        let held = try store.admit(Example.upload(key: "held", expiresAt: soon))
        let good = try store.admit(Example.upload(key: "good"))
        _ = try store.request(.hold, of: held, at: Example.now)
        #expect(try store.nextExpiry() == soon)
        let committed = try store.commit(Turn(sweeps: true), at: soon)
        #expect(Set(committed.expired) == [waiting, held])
        #expect(try store.found(held).state == .expired(at: soon))
        #expect(try store.found(running).state.name == .running)
        #expect(try store.found(good).state.name == .queued)
        #expect(try store.nextExpiry() == Example.now + .seconds(86_400))
    }

    @Test(arguments: JobStoreKind.all)
    func `what is recorded of origins replaces what was recorded before`(kind: JobStoreKind) throws {
        let store = try kind.open().store
        let text = "530 Login incorrect."
        let troubles = [
            OriginTrouble(origin: Origin(scheme: .ftp, host: "a"), effect: .stopped, text: text),
            OriginTrouble(
                origin: Origin(scheme: .sftp, host: "b", user: "ü@c"), effect: .limited(lanes: 2), text: ""),
            OriginTrouble(
                origin: Origin(scheme: .https, host: "::1"), effect: .backedOff(until: Example.now),
                text: text),
        ]
        try store.commit(.troubled(troubles))
        #expect(Set(try store.troubles()) == Set(troubles))
        try store.commit(.troubled([troubles[1]]))
        #expect(try store.troubles() == [troubles[1]])
        try store.commit(.troubled([]))
        #expect(try store.troubles().isEmpty)
    }

    @Test(arguments: JobStoreKind.all)
    func `a sweep brings a retry time back that a clock put too far away`(kind: JobStoreKind) throws {
        let store = try kind.open().store
        let day = Example.now + .seconds(86_000)
        let wish = Example.now + .seconds(80_000)
        let far = try store.admitRunning(Example.upload(key: "far"))
        try store.commit(
            .ended(far, Example.ending(.queued(retryAt: day), failure: Failure(.temporary, text: "x"))))
        let wished = try store.admit(Example.upload(key: "wished", notBefore: wish))
        _ = try store.commit(Turn(sweeps: true), at: Example.now)
        #expect(try store.found(far).state == .queued(retryAt: Example.now + .seconds(3_600)))
        #expect(try store.found(wished).notBefore == wish)
        #expect(try store.demands().map(\.nextDue) == [Example.now + .seconds(3_600)])
    }

    @Test(arguments: JobStoreKind.all)
    func `files of ended jobs are listed, the oldest end first, until they are disposed of`(
        kind: JobStoreKind
    ) throws {
        let store = try kind.open().store
        let first = try store.admit(Example.upload(key: "1"))
        let second = try store.admit(Example.upload(key: "2"))
        let directory = try Example.unwrap(FilePath("/srv/data"))
        let inPlace = try store.admit(Example.upload(key: "3", root: .inPlace(directory)))
        for (delay, id) in [second, first, inPlace].enumerated() {
            _ = try store.request(.cancel, of: id, at: Example.now + .seconds(delay))
        }
        #expect(try store.undisposed(limit: 9).map(\.id) == [second, first])
        #expect(try store.undisposed(limit: 1).map(\.id) == [second])
        try store.commit(.disposed(second, nil))
        #expect(try store.undisposed(limit: 9).map(\.id) == [first])
    }

    @Test(arguments: JobStoreKind.all)
    func `a disposal recorded after a retry leaves the files to the job`(kind: JobStoreKind) throws {
        let store = try kind.open().store
        let id = try store.admit(Example.upload(key: "1"))
        let moved = JobDescription.upload(UploadDescription(source: try Example.file(.spool, "moved")))
        try store.commit(.disposed(id, moved))
        let job = try store.found(id)
        #expect(!job.disposed && job.description == moved)
    }

    @Test(arguments: JobStoreKind.all)
    func `spool jobs are those with files in the spool, until they are disposed of`(kind: JobStoreKind) throws
    {
        let store = try kind.open().store
        let dropped = try store.admit(Example.upload(key: "1"))
        let running = try store.admitRunning(Example.upload(to: "ftp://x.example/y", key: "2"))
        let gone = try store.admit(Example.upload(key: "3"))
        _ = try store.admit(Example.form(key: "4"))
        _ = try store.request(.cancel, of: gone, at: Example.now)
        try store.commit(.disposed(gone, nil))
        #expect(Set(try store.spoolJobs().map(\.id)) == [dropped, running])
    }
}
