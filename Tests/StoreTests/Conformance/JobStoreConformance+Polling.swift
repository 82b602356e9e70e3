import Testing
import TransferModel

extension JobStoreConformance {
    private static func route(_ directory: String = "ftp://h/out/") throws -> RouteSettings {
        RouteSettings(name: "in", kind: .fetch, url: try TransferURL(directory))
    }

    private static let files = [
        RememberedFile(
            name: [0xff, 0x2f], version: FileVersion(size: nil, modified: nil), state: .refused),
        RememberedFile(
            name: Array("a".utf8),
            version: FileVersion(size: 1 << 40, modified: Timestamp(rawValue: -5)),
            state: .seen(since: Example.now)),
        RememberedFile(
            name: Array("b".utf8), version: FileVersion(size: 0, modified: Timestamp(rawValue: 5)),
            state: .taken, missingSince: Example.now),
    ]

    @Test(arguments: JobStoreKind.all)
    func `what a poll found is remembered with the jobs that it made`(kind: JobStoreKind) throws {
        let store = try kind.open().store
        let route = try Self.route()
        let record = PollRecord(route: "in", directory: route.url, remembered: Self.files)
        try store.commit(.polled(record), .admitted(Example.download(key: "d")))
        let found = try store.remembered(by: "in", in: route.url)
        #expect(Set(found) == Set(Self.files))
        #expect(try store.remembered(by: "other", in: route.url).isEmpty)
        var taken = Self.files[1]
        taken.state = .taken
        try store.commit(
            .polled(
                PollRecord(
                    route: "in", directory: route.url, remembered: [taken],
                    forgotten: [Self.files[0].name])))
        #expect(try Set(store.remembered(by: "in", in: route.url)) == [taken, Self.files[2]])
    }

    @Test(arguments: JobStoreKind.all)
    func `with another directory a route's memory begins anew`(kind: JobStoreKind) throws {
        let store = try kind.open().store
        let (old, new) = (try Self.route().url, try Self.route("ftp://h/other/").url)
        try store.commit(.polled(PollRecord(route: "in", directory: old, remembered: Self.files)))
        try store.commit(.polled(PollRecord(route: "in", directory: new, remembered: [Self.files[2]])))
        #expect(try store.remembered(by: "in", in: old).isEmpty)
        #expect(try store.remembered(by: "in", in: new) == [Self.files[2]])
    }

    @Test(arguments: JobStoreKind.all)
    func `a poll takes the place of the last one when that has ended, and not before`(
        kind: JobStoreKind
    ) throws {
        let store = try kind.open().store
        let poll = try Self.route().pollJob(now: Example.now, expires: .seconds(86_400))
        try store.commit(.renewed(poll))
        try store.commit(.renewed(poll))
        let first = try store.jobs(JobFilter())
        #expect(first.count == 1 && first[0].state == .queued(retryAt: nil))
        let claimed = try store.commit(
            Turn(claims: [Turn.Claim(origin: poll.url.origin, count: 1)]), at: Example.now
        ).claimed
        #expect(claimed.map(\.id) == [first[0].id])
        try store.commit(.renewed(poll))
        #expect(try store.jobs(JobFilter()).map(\.state.name) == [.running])
        try store.commit(
            .ended(
                first[0].id,
                Example.ending(.failed(at: Example.now), failure: Failure(.permanent, text: "no"))))
        try store.commit(.renewed(poll))
        let next = try store.jobs(JobFilter())
        #expect(next.count == 1 && next[0].id != first[0].id && next[0].state.name == .queued)
        #expect(try store.counts() == [.queued: 1] && store.attempts(of: first[0].id).isEmpty)
    }
}
