internal import TransferModel

extension UploadWorker {
    /// Compares the size and renames; the stage is durable before either.
    func putInPlace(
        _ place: UploadPlace, _ size: Int64, _ checkpoint: Checkpoint, _ proof: Proof,
        _ server: any FileServer, _ lane: isolated Lane
    ) async throws -> Outcome.Arrival {
        var checkpoint = checkpoint
        checkpoint.verified = ByteCount(rawValue: size)
        checkpoint.proof = proof.text
        let step = Placing(worker: self, server: server, size: size, proof: proof)
        if place.isDirect { return try await step.confirm(place, checkpoint, lane) }
        return try await step.rename(place, checkpoint, lane)
    }

    /// An earlier attempt had the whole file at the server: finds out how far it came and goes on. nil: the file has to
    /// be sent (again).
    func goOnFromEarlier(_ lane: isolated Lane) async throws -> Outcome.Arrival? {
        let known = job.checkpoint
        guard let size = known.verified?.rawValue ?? known.source?.size.rawValue,
            known.isInPlace == true || job.stage == .renaming
        else { return nil }
        let place = try UploadPlace(job, plan, size: size)
        let step = Placing(worker: self, server: server(), size: size, proof: Proof(known.proof))
        if known.isInPlace == true {
            assignment.progress.begin(at: ByteCount(rawValue: size), limit: ByteCount(rawValue: size))
            return try await step.finish(place, known, lane)
        }
        if known.remoteTemporary != nil, known.verified != nil, try await isUnchanged(lane) {
            assignment.progress.begin(at: ByteCount(rawValue: size), limit: ByteCount(rawValue: size))
            if let arrival = try await step.conclude(place, known, lane) { return arrival }
        }
        try await startOver(place, lane)
        return nil
    }

    /// A source that is gone is no reason to send again: the file may be there whole.
    private func isUnchanged(_ lane: isolated Lane) async throws -> Bool {
        do {
            return try await open(lane, feeding: nil).identity == job.checkpoint.source
        } catch is Failure {
            return true
        }
    }
}
