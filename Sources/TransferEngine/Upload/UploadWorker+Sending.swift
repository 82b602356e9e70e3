internal import TransferModel

extension UploadWorker {
    /// Sends the source from `opening` on; returns when the server has it whole, as far as it says so itself, with the
    /// checksums that were computed on the way: those of the whole file, or none.
    func send(
        _ source: Source, _ opening: Parcel.Opening, to place: UploadPlace, _ checkpoint: Checkpoint,
        _ algorithms: Set<ChecksumAlgorithm>, _ server: any FileServer, _ lane: isolated Lane
    ) async throws -> SourceDigests? {
        let begun = ByteCount(rawValue: opening.offset)
        assignment.progress.begin(at: begun, limit: source.identity.size)
        if !place.isDirect || opening.offset > 0 { lane.keep(.sending, checkpoint) }
        // Nobody may take what stands there for another's file when the connection breaks.
        if place.isDirect, plan.onConflict != .replace { try await lane.commit(.sending, checkpoint) }
        guard opening.offset < source.size || source.size == 0 else { return nil }
        let sending = Sending(
            worker: self, source: source, place: place, checkpoint: checkpoint, algorithms: algorithms,
            server: server)
        guard case .refused(let failure) = try await sending.attempt(opening, lane) else {
            return sending.digests
        }
        // Not to be gone on with in this way: from the start it may be taken.
        guard opening.offset > 0 else { throw failure }
        assignment.progress.begin(at: .zero, limit: source.identity.size)
        guard case .refused(let failure) = try await sending.attempt(.create, lane) else {
            return sending.digests
        }
        throw failure
    }
}
