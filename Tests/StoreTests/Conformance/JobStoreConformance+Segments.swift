import Testing
import TransferModel

extension JobStoreConformance {
    private static let windows = [Window(400..<1_000), Window(2_000..<3_000)]

    private static func advance(_ missing: [Window] = windows) -> Advance {
        let there = 3_000 - missing.reduce(0) { $0 + $1.count }
        return Advance(
            start: .zero, offset: ByteCount(rawValue: there), limit: ByteCount(3_000), missing: missing)
    }

    /// A running download that has a file of its own.
    private func admitBegun(_ store: any JobStore) throws -> JobID {
        let id = try store.admitRunning(Example.download(key: "d"))
        var checkpoint = Checkpoint()
        let name = try Example.unwrap(FileName(".x.part"))
        checkpoint.localTemporary = Checkpoint.LocalTemporary(name: name, device: 1, inode: 2)
        try store.commit(.staged(id, .sending, checkpoint))
        return id
    }

    @Test(arguments: JobStoreKind.all)
    func `windows that are missing are recorded with the progress and the end`(kind: JobStoreKind) throws {
        let store = try kind.open().store
        let id = try admitBegun(store)
        try store.commit(.progressed(id, Self.advance()))
        #expect(try store.found(id).missing == Self.windows)
        let fewer = [Window(500..<1_000), Window(2_000..<3_000)]
        var ending = Example.ending(.queued(retryAt: nil), offset: 1_500)
        ending.missing = fewer
        try store.commit(.ended(id, ending))
        #expect(try store.found(id).missing == fewer)
        let claimed = try store.claim(try store.found(id).origin, at: Example.now + .seconds(100))
        #expect(claimed.map(\.missing) == [fewer])
    }

    @Test(arguments: JobStoreKind.all)
    func `a file that starts again has no windows any more`(kind: JobStoreKind) throws {
        let store = try kind.open().store
        let id = try admitBegun(store)
        let checkpoint = try store.found(id).checkpoint
        try store.commit(.progressed(id, Self.advance()))
        let fresh = Advance(start: .zero, offset: .zero, limit: nil)
        try store.commit(.staged(id, .sending, checkpoint, fresh))
        #expect(try store.found(id).missing.isEmpty)
        #expect(try store.found(id).offset == .zero)
    }
}
