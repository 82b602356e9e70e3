internal import TransferModel

extension UploadWorker {
    /// Compares the size and renames; the stage is durable before either.
    func rename(
        _ target: RemoteTarget, size: Int64, _ checkpoint: Checkpoint, _ lane: isolated Lane
    ) async throws -> Outcome.Arrival {
        var checkpoint = checkpoint
        checkpoint.verified = ByteCount(rawValue: size)
        try await lane.commit(.renaming, checkpoint)
        return try await compareAndRename(target, size: size, lane)
    }

    /// An earlier attempt was about to rename: finds out how far it came and goes on. nil: the file has to be sent (again).
    func goOnRenaming(_ target: RemoteTarget, _ lane: isolated Lane) async throws -> Outcome.Arrival? {
        guard let size = job.checkpoint.verified?.rawValue,
            job.checkpoint.remoteTemporary == target.temporary,
            try await isUnchanged(lane)
        else {
            try await startOver(lane)
            return nil
        }
        assignment.progress.begin(at: ByteCount(rawValue: size), limit: ByteCount(rawValue: size))
        if let arrival = try await conclude(target, size: size, lane) { return arrival }
        try await startOver(lane)
        return nil
    }

    /// A source that is gone is no reason to send again: the file may be there whole.
    private func isUnchanged(_ lane: isolated Lane) async throws -> Bool {
        do {
            return try await open(lane, feeds: false).identity == job.checkpoint.source
        } catch is Failure {
            return true
        }
    }

    /// Before anything is done that would make ``conclude(_:size:_:)`` see a rename that wasn't.
    private func startOver(_ lane: isolated Lane) async throws {
        try await lane.commit(.sending, Checkpoint())
    }

    /// What the two names say while the job is in stage `renaming`; nil: neither is ours whole.
    private func conclude(
        _ target: RemoteTarget, size: Int64, _ lane: isolated Lane
    ) async throws -> Outcome.Arrival? {
        let found = try await sizes(of: [target.temporary, target.name], target, lane)
        switch (found[0], found[1]) {
        case (.bytes(size), _): return try await compareAndRename(target, size: size, lane)
        case (.bytes, _): return nil
        case (.absent, .bytes(size)): return arrival(size)
        case (.absent, _): return nil
        case (.unsupported, _): return try await compareAndRename(target, size: size, lane)
        }
    }

    private func compareAndRename(
        _ target: RemoteTarget, size: Int64, _ lane: isolated Lane
    ) async throws -> Outcome.Arrival {
        var step = RenameRequest(target: target, size: size)
        while true {
            let answer = try await lane.perform(step.request(self))
            switch step.next(after: answer) {
            case .done(let isVerified): return arrival(size, isVerified: isVerified)
            case .again: continue
            case .lost: return try await concludeAfterLoss(answer, target, size: size, lane)
            case .wrongSize(let found): try await rejectSize(found, of: size, target, lane)
            case .failed: throw Failure(answer, doing: "renaming \(target.temporary) to \(job.url)")
            }
        }
    }

    /// The connection broke: whether the rename was done shows on a new one.
    private func concludeAfterLoss(
        _ answer: Answer, _ target: RemoteTarget, size: Int64, _ lane: isolated Lane
    ) async throws -> Outcome.Arrival {
        lane.control.cutConnection()
        let found = try await sizes(of: [target.temporary, target.name], target, lane)
        if found == [.absent, .bytes(size)] { return arrival(size) }
        throw Failure(answer, doing: "renaming \(target.temporary) to \(job.url)")
    }

    /// The server confirmed a file that it does not have: nothing of it is kept.
    private func rejectSize(
        _ found: RemoteSize, of size: Int64, _ target: RemoteTarget, _ lane: isolated Lane
    ) async throws -> Never {
        try await startOver(lane)
        _ = try await lane.perform(request(target, [target.command("*DELE", target.temporary)]))
        let words =
            switch found {
            case .bytes(let count): "it has \(count) of \(size) bytes"
            case .absent: "the file is not there"
            case .unsupported: "it does not say how much it has"
            }
        throw Failure(.temporary, text: "\(doing): the server said that all was well, but \(words)")
    }

    private func arrival(_ size: Int64, isVerified: Bool = true) -> Outcome.Arrival {
        Outcome.Arrival(
            size: ByteCount(rawValue: size),
            digest: isVerified ? nil : "not verified: the server does not tell the size of a file")
    }
}
