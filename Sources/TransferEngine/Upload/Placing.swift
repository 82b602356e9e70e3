internal import TransferModel

/// The last part of an upload, from the whole file under its temporary name on.
struct Placing {
    let worker: UploadWorker
    let server: any FileServer
    let size: Int64
    var proof: Proof

    private var plan: DeliveryPlan { worker.plan }

    /// `checkpoint` has everything but the name, which is chosen here where the policy says so.
    func rename(
        _ place: UploadPlace, _ checkpoint: Checkpoint, _ lane: isolated Lane
    ) async throws -> Outcome.Arrival {
        var place = place
        var checkpoint = checkpoint
        if plan.onConflict == .rename { place.choose(try await worker.freeName(for: place, server, lane)) }
        checkpoint.chosenName = place.chosenName
        return try await move(place, checkpoint, lane, licence: lane.requestCommit(.renaming, checkpoint))
    }

    /// `licence`: that the stage is recorded; nil: it is.
    private func move(
        _ place: UploadPlace, _ checkpoint: Checkpoint, _ lane: isolated Lane, licence: Licence? = nil,
        makesDirectories: Bool = true
    ) async throws -> Outcome.Arrival {
        let move = RemoteMove(
            from: place.temporary, to: place.final, size: plan.comparesSize ? size : nil,
            replaces: plan.onConflict == .replace)
        switch try await carryOut(move, licence, lane) {
        case .done(let isVerified): return try await arrived(place, checkpoint, isVerified: isVerified, lane)
        case .wrongSize(let found): try await worker.reject(place, words(found), server, lane)
        case .taken where plan.onConflict == .rename: return try await rename(place, checkpoint, lane)
        case .taken: return try await worker.end(for: place, server, lane)
        case .lost(let failure): return try await concludeAfterLoss(place, checkpoint, failure, lane)
        case .refused(let failure):
            // A temporary file in another directory says nothing about the final one's.
            let directories = place.final.parents
            guard makesDirectories, place.final.parent != place.temporary.parent, !directories.isEmpty else {
                throw advised(failure)
            }
            try await server.makeDirectories(directories, on: lane)
            return try await self.move(place, checkpoint, lane, makesDirectories: false)
        }
    }

    /// A server that lets nothing be renamed refuses every file in this way.
    private func advised(_ failure: Failure) -> Failure {
        guard failure.class == .permanent else { return failure }
        var failure = failure
        failure.text += "; 'temp_name = off' does without renaming"
        return failure
    }

    private func carryOut(_ move: RemoteMove, _ licence: Licence?, _ lane: isolated Lane) async throws
        -> Moved
    {
        guard let licence else { return try await server.move(move, on: lane) }
        return try await server.move(move, licence: licence, on: lane)
    }

    /// What the two names say while the job is in stage `renaming`; nil: neither is ours whole.
    func conclude(
        _ place: UploadPlace, _ checkpoint: Checkpoint, _ lane: isolated Lane
    ) async throws -> Outcome.Arrival? {
        let found = try await server.find([place.temporary, place.final], on: lane)
        switch (found[0], found[1]) {
        case (.size(let held), _) where held == size || !plan.comparesSize:
            return try await move(place, checkpoint, lane)
        case (.size, _): return nil
        case (.present, _), (.unknown, _): return try await move(place, checkpoint, lane)
        case (.absent, .size(let held)) where held == size || !plan.comparesSize:
            return try await arrived(place, checkpoint, isVerified: plan.comparesSize, lane)
        case (.absent, .present): return try await arrived(place, checkpoint, isVerified: false, lane)
        case (.absent, _): return nil
        }
    }

    /// The connection broke: whether the rename was done shows on a new one.
    private func concludeAfterLoss(
        _ place: UploadPlace, _ checkpoint: Checkpoint, _ failure: Failure, _ lane: isolated Lane
    ) async throws -> Outcome.Arrival {
        lane.control.cutConnection()
        let found = try await server.find([place.temporary, place.final], on: lane)
        guard found[0] == .absent, found[1] == .size(size) || !plan.comparesSize && found[1] != .absent
        else { throw failure }
        return try await arrived(place, checkpoint, isVerified: plan.comparesSize, lane)
    }

    /// What was sent to its final name at once: only its size is left to compare.
    func confirm(
        _ place: UploadPlace, _ checkpoint: Checkpoint, _ lane: isolated Lane
    ) async throws -> Outcome.Arrival {
        guard plan.comparesSize else {
            return try await arrived(place, checkpoint, isVerified: false, lane)
        }
        let found = try await server.find([place.final], on: lane)[0]
        switch found {
        case .size(size): return try await arrived(place, checkpoint, isVerified: true, lane)
        case .size, .absent: try await worker.reject(place, words(found), server, lane)
        case .present, .unknown: return try await arrived(place, checkpoint, isVerified: false, lane)
        }
    }

    private func arrived(
        _ place: UploadPlace, _ checkpoint: Checkpoint, isVerified: Bool, _ lane: isolated Lane
    ) async throws -> Outcome.Arrival {
        var step = self
        if let name = place.chosenName { step.proof.note("stored as \(name)") }
        if isVerified {
            step.proof.note("size \(size) by \(server.sizeSource)")
        } else if plan.comparesSize {
            let words = proof.isVerified ? "size not compared" : "not verified"
            step.proof.note("\(words): the server does not tell the size of a file")
        }
        return try await step.finish(place, checkpoint, lane)
    }

    private func words(_ found: RemoteFile) -> String {
        switch found {
        case .size(let count): "it has \(count) of \(size) bytes"
        case .absent: "the file is not there"
        case .present, .unknown: "it does not say how much it has"
        }
    }
}
