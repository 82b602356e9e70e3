internal import CCurl
internal import TransferModel

extension UploadWorker {
    enum Delivered {
        /// The server has it whole, as far as it says so itself, with the checksums that were computed on the way: those
        /// of the whole file, or none.
        case sent(SourceDigests?)
        /// Something else stands there, and the policy gives way to it.
        case givesWay
    }

    /// Sends the source from `opening` on, under the next free name where another took the one that was chosen.
    ///
    /// `isBegun`: what stands at `place.temporary` may have been written by this job.
    func send(
        _ source: Source, _ opening: Parcel.Opening, to place: inout UploadPlace,
        _ checkpoint: inout Checkpoint, _ algorithms: Set<ChecksumAlgorithm>, isBegun: Bool,
        _ server: any FileServer, _ lane: isolated Lane
    ) async throws -> Delivered {
        var isBegun = isBegun
        var isFirst = true
        while true {
            let sending = Sending(
                worker: self, source: source, place: place, checkpoint: checkpoint, algorithms: algorithms,
                server: server, isFirst: isFirst)
            isFirst = false
            guard try await send(sending, source, opening, place, checkpoint, lane) == .taken else {
                return .sent(sending.digests)
            }
            let mayBeOurs = isBegun || sending.mayHaveArrived
            if mayBeOurs, try await isOurs(source, place, server, lane) { return .sent(nil) }
            guard plan.onConflict == .rename else { return .givesWay }
            place.choose(try await freeName(for: place, server, lane))
            checkpoint.remoteTemporary = place.temporary.stored
            checkpoint.chosenName = place.chosenName
            isBegun = false
        }
    }

    private func send(
        _ sending: Sending, _ source: Source, _ opening: Parcel.Opening, _ place: UploadPlace,
        _ checkpoint: Checkpoint, _ lane: isolated Lane
    ) async throws -> Sending.Sent {
        let begun = ByteCount(rawValue: opening.offset)
        assignment.progress.begin(at: begun, limit: source.identity.size)
        if !place.isDirect || opening.offset > 0 { lane.keep(.sending, checkpoint) }
        // Nobody may take what stands there for another's file when the connection breaks.
        if place.isDirect, plan.onConflict != .replace { try await lane.commit(.sending, checkpoint) }
        guard opening.offset < source.size || source.size == 0 else { return .whole }
        let mayHaveBegun = lane.control.isConnected || job.checkpoint.hasBegun
        let sent: Sending.Sent
        do {
            sent = try await sending.attempt(opening, lane)
        } catch let failure as Failure where !mayHaveBegun && failure.cameBeforeLogin {
            // Nothing stands there that anybody would have to remove.
            lane.keep(.sending, job.checkpoint)
            throw failure
        }
        // Not to be gone on with in this way: from the start it may be taken.
        guard case .refused(let failure) = sent else { return sent }
        guard opening.offset > 0 else { throw failure }
        assignment.progress.begin(at: .zero, limit: source.identity.size)
        let again = try await sending.attempt(.create, lane)
        if case .refused(let failure) = again { throw failure }
        return again
    }

    /// Whether what stands there is what an earlier try of this job has sent: of the source's size, with its last bytes
    /// where they can be read.
    private func isOurs(
        _ source: Source, _ place: UploadPlace, _ server: any FileServer, _ lane: isolated Lane
    ) async throws -> Bool {
        guard try await server.find([place.temporary], on: lane)[0] == .size(source.size) else {
            return false
        }
        let range = max(0, source.size - Self.comparedBytes)..<source.size
        guard !range.isEmpty else { return true }
        return try await isSame(range, source, place.temporary, server, lane) != false
    }
}

extension Failure {
    /// Whether a request that had to connect first failed before the server was asked for anything.
    fileprivate var cameBeforeLogin: Bool {
        switch scope {
        case .job: false
        case .login: true
        case .origin:
            [CURLE_COULDNT_RESOLVE_PROXY, CURLE_COULDNT_RESOLVE_HOST, CURLE_COULDNT_CONNECT].contains {
                curl == Int($0.rawValue)
            }
        }
    }
}
