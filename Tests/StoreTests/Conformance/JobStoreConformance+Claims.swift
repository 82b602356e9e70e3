import Testing
import TransferModel

extension JobStoreConformance {
    @Test(arguments: JobStoreKind.all)
    func `a job claimed twice is given out once`(kind: JobStoreKind) throws {
        let store = try kind.open().store
        let id = try store.admit(Example.upload(key: "once"))
        let origin = try Example.url().origin
        let claimed = try store.claim(origin, 5)
        #expect(claimed.map(\.id) == [id] && claimed.first?.state == .running(since: Example.now))
        #expect(try claimed.first == store.found(id))
        #expect(try store.claim(origin, 5).isEmpty)
    }

    @Test(arguments: JobStoreKind.all)
    func `priority goes first, then the longest due, then the lowest number`(kind: JobStoreKind) throws {
        let store = try kind.open().store
        let late = try store.admit(Example.upload(key: "late", notBefore: Example.now))
        let early = try store.admit(
            Example.upload(key: "early", notBefore: Timestamp(rawValue: 1_000)))
        let first = try store.admit(Example.upload(key: "first"))
        let second = try store.admit(Example.upload(key: "second"))
        let low = try store.admit(Example.upload(key: "low", priority: -1))
        let high = try store.admit(Example.upload(key: "high", priority: 7, notBefore: Example.now))
        let origin = try Example.url().origin
        #expect(try store.claim(origin, 2).map(\.id) == [high, first])
        #expect(try store.claim(origin, 9).map(\.id) == [second, early, late, low])
    }

    @Test(arguments: JobStoreKind.all)
    func `a job is not claimed before its time, and with the extreme priorities too`(
        kind: JobStoreKind
    ) throws {
        let store = try kind.open().store
        let later = Example.now + .seconds(1)
        let origin = try Example.url().origin
        _ = try store.admit(Example.upload(key: "waits", priority: .max, notBefore: later))
        let lowest = try store.admit(Example.upload(key: "lowest", priority: .min))
        #expect(try store.claim(origin, 9).map(\.id) == [lowest])
        #expect(try store.claim(origin, 9, at: later).count == 1)
    }

    @Test(arguments: JobStoreKind.all)
    func `uploads to one address go one after the other, in the order of their numbers`(
        kind: JobStoreKind
    ) throws {
        let store = try kind.open().store
        let address = "ftp://user@files.example:2121/in/same"
        let origin = try Example.url().origin
        _ = try store.admit(
            Example.upload(to: address, key: "tomorrow", notBefore: Example.now + .seconds(86_400)))
        let ids = try ["old", "new", "newest"].map { try store.admit(Example.upload(to: address, key: $0)) }
        let other = try store.admit(Example.upload(key: "other"))
        #expect(try store.claim(origin, 9).map(\.id) == [ids[0], other])
        let again = Example.now + .seconds(30)
        try store.commit(.ended(ids[0], Example.ending(.queued(retryAt: again))))
        #expect(try store.claim(origin, 9).isEmpty)
        #expect(try store.claim(origin, 9, at: again).map(\.id) == [ids[0]])
        try store.commit(.ended(ids[0], Example.ending(.done(at: again))), at: again)
        #expect(try store.claim(origin, 9, at: again).map(\.id) == [ids[1]])
        try store.commit(.ended(ids[1], Example.ending(.held(.byRequest))), at: again)
        #expect(try store.claim(origin, 9, at: again).map(\.id) == [ids[2]])
    }

    @Test(arguments: JobStoreKind.all)
    func `claims keep to their origin and follow the order of the turn`(kind: JobStoreKind) throws {
        let store = try kind.open().store
        let other = try Example.upload(to: "ftp://other.example/x", key: "other")
        let one = try store.admit(Example.upload(key: "one"))
        let two = try store.admit(other)
        let origin = try Example.url().origin
        let claims = [Turn.Claim(origin: other.url.origin, count: 3), Turn.Claim(origin: origin, count: 3)]
        #expect(try store.commit(Turn(claims: claims), at: Example.now).claimed.map(\.id) == [two, one])
    }

    @Test(arguments: JobStoreKind.all)
    func `a job admitted in a turn can be claimed in it`(kind: JobStoreKind) throws {
        let store = try kind.open().store
        let new = try Example.upload(key: "quick")
        let turn = Turn(
            changes: [.admitted(new)], claims: [Turn.Claim(origin: new.url.origin, count: 1)])
        let committed = try store.commit(turn, at: Example.now)
        #expect(committed.claimed.map(\.id) == committed.admitted)
    }

    @Test(arguments: JobStoreKind.all)
    func `a claim ends what has expired and goes on behind it`(kind: JobStoreKind) throws {
        let store = try kind.open().store
        let past = try (0..<5).map { try Example.upload(key: "past\($0)", expiresAt: Example.now) }
        let expired = try past.map { try store.admit($0) }
        let good = try store.admit(Example.upload(key: "good"))
        let claim = Turn.Claim(origin: try Example.url().origin, count: 2)
        let committed = try store.commit(Turn(claims: [claim]), at: Example.now)
        #expect(committed.claimed.map(\.id) == [good] && committed.expired == expired)
        #expect(try store.found(expired[0]).state == .expired(at: Example.now))
    }

    @Test(arguments: JobStoreKind.all)
    func `demands name each origin once with its next due time`(kind: JobStoreKind) throws {
        let store = try kind.open().store
        let later = Example.now + .seconds(9)
        for key in ["a", "b", "c"] { _ = try store.admit(Example.upload(key: key, notBefore: later)) }
        _ = try store.admit(Example.upload(key: "d", notBefore: Example.now))
        _ = try store.admit(Example.upload(to: "sftp://[::1]:22/x", key: "six", notBefore: later))
        _ = try store.admitRunning(Example.upload(to: "ftp://busy.example/x", key: "busy"))
        let demands = try store.demands().sorted { $0.origin < $1.origin }
        let six = try Example.url("sftp://[::1]/").origin
        #expect(
            demands == [
                OriginDemand(origin: try Example.url().origin, nextDue: Example.now),
                OriginDemand(origin: six, nextDue: later),
            ])
    }
}
