import Testing
import TransferModel

extension JobStoreConformance {
    private func fill(_ store: any JobStore) throws -> [JobID] {
        let ids = [
            try store.admit(Example.upload(key: "0")),
            try store.admit(Example.upload(to: "ftp://other.example/a", key: "1", route: "other")),
            try store.admit(Example.upload(to: "ftp://other.example/b", key: "2")),
            try store.admit(Example.form(key: "3")),
            try store.admit(Example.download(key: "4")),
        ]
        _ = try store.request(.hold, of: ids[2], at: Example.now)
        return ids
    }

    @Test(arguments: JobStoreKind.all)
    func `lists are newest first, cut to the limit`(kind: JobStoreKind) throws {
        let store = try kind.open().store
        let ids = try fill(store)
        var filter = JobFilter()
        #expect(try store.jobs(filter).map(\.id) == ids.reversed())
        filter.limit = 2
        #expect(try store.jobs(filter).map(\.id) == [ids[4], ids[3]])
        filter.limit = 0
        #expect(try store.jobs(filter).isEmpty)
    }

    @Test(arguments: JobStoreKind.all)
    func `states are told of the jobs that exist`(kind: JobStoreKind) throws {
        let store = try kind.open().store
        let ids = try fill(store)
        let states = try store.states(of: [ids[2], ids[0], JobID(rawValue: 99)])
        #expect(states == [ids[2]: .held, ids[0]: .queued])
        #expect(try store.states(of: []).isEmpty)
    }

    @Test(arguments: JobStoreKind.all)
    func `state, route and host narrow a list down, together too`(kind: JobStoreKind) throws {
        let store = try kind.open().store
        let ids = try fill(store)
        func list(
            _ states: Set<JobState.Name> = [], route: String? = nil, host: String? = nil, ids: [JobID] = []
        ) throws -> [JobID] {
            var filter = JobFilter()
            (filter.states, filter.route, filter.host, filter.ids) = (states, route, host, ids)
            return try store.jobs(filter).map(\.id)
        }
        #expect(try list([.held]) == [ids[2]])
        #expect(try list([.held, .queued]) == ids.reversed())
        #expect(try list([.done]).isEmpty)
        #expect(try list(route: "lab") == [ids[2], ids[0]])
        #expect(try list(host: "Other.example") == [ids[2], ids[1]])
        #expect(try list(route: "lab", host: "other.example") == [ids[2]])
        #expect(try list([.queued], route: "lab", host: "other.example").isEmpty)
        #expect(try list([.queued], host: "web.example") == [ids[4], ids[3]])
        #expect(try list(ids: [ids[0], ids[3], ids[0], JobID(rawValue: 99)]) == [ids[3], ids[0]])
        #expect(try list([.queued], ids: [ids[2], ids[1]]) == [ids[1]])
    }

    @Test(arguments: JobStoreKind.all)
    func `an upload that waits for another one to its address names that one`(kind: JobStoreKind) throws {
        let store = try kind.open().store
        let address = "ftp://user@files.example:2121/in/same"
        let origin = try Example.url().origin
        let ids = try ["old", "new", "newest"].map { try store.admit(Example.upload(to: address, key: $0)) }
        let other = try store.admit(Example.upload(key: "other"))
        func predecessor(_ id: JobID) throws -> JobID? {
            try store.predecessor(of: store.found(id), at: Example.now)
        }
        #expect(try predecessor(ids[0]) == nil)
        #expect(try predecessor(ids[1]) == ids[0])
        #expect(try predecessor(ids[2]) == ids[1])
        #expect(try predecessor(other) == nil)
        #expect(try store.claim(origin, 9).map(\.id) == [ids[0], other])
        #expect(try predecessor(ids[0]) == nil)
        #expect(try predecessor(ids[1]) == ids[0])
        try store.commit(.ended(ids[0], Example.ending(.done(at: Example.now))))
        #expect(try predecessor(ids[1]) == nil)
    }

    @Test(arguments: JobStoreKind.all)
    func `counts follow every transition and leave empty states out`(kind: JobStoreKind) throws {
        let store = try kind.open().store
        #expect(try store.counts().isEmpty)
        let ids = try fill(store)
        _ = try store.claim(try Example.url().origin)
        #expect(try store.counts() == [.queued: 3, .running: 1, .held: 1])
        try store.commit(.ended(ids[0], Example.ending(.done(at: Example.now))))
        #expect(try store.counts() == [.queued: 3, .done: 1, .held: 1])
    }

    @Test(arguments: JobStoreKind.all)
    func `an unknown job is nil and has no attempts`(kind: JobStoreKind) throws {
        let store = try kind.open().store
        #expect(try store.job(JobID(rawValue: 4)) == nil)
        #expect(try store.attempts(of: JobID(rawValue: 4)).isEmpty)
    }
}
