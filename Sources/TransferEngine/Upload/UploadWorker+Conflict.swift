internal import TransferModel

extension UploadWorker {
    /// Before anything is sent: what the policy makes of a final name that is taken. nil: the file is sent.
    ///
    /// `isBegun`: what stands at `place.temporary` was written by this job.
    func settleConflict(
        _ place: inout UploadPlace, isBegun: Bool, _ server: any FileServer, _ lane: isolated Lane
    ) async throws -> Outcome.Arrival? {
        if place.isDirect, isBegun { return nil }
        switch plan.onConflict {
        case .replace: return nil
        case .rename:
            // With a temporary file the name is chosen when it is whole.
            if place.isDirect { place.choose(try await freeName(for: place, server, lane)) }
            return nil
        case .skip, .fail:
            guard try await isTaken(place, server, lane) else { return nil }
            return try await end(for: place, server, lane)
        }
    }

    /// The final name is taken and the policy gives way to it.
    func end(
        for place: UploadPlace, _ server: any FileServer, _ lane: isolated Lane
    ) async throws -> Outcome.Arrival {
        guard plan.onConflict == .skip else {
            throw Failure(
                .permanent, text: "\(doing): the file is already there, and 'on_conflict = fail' keeps it")
        }
        if lane.checkpoint.remoteTemporary != nil, !place.isDirect {
            try await startOver(place, lane)
            _ = try await server.remove(place.temporary, on: lane)
        }
        var checkpoint = Checkpoint()
        checkpoint.isLeftOut = true
        lane.keep(.sending, checkpoint)
        assignment.progress.begin(at: .zero, limit: nil)
        return Outcome.Arrival(size: .zero, digest: "not sent: \(job.url) is already there")
    }

    private func isTaken(_ place: UploadPlace, _ server: any FileServer, _ lane: isolated Lane) async throws
        -> Bool
    {
        switch try await server.find([place.final], on: lane)[0] {
        case .size, .present: return true
        case .absent: return false
        // Storing and deciding are one step there.
        case .unknown where place.isDirect && server.storesAtomically: return false
        case .unknown:
            throw Failure(
                .permanent,
                text: "\(doing): the server does not say whether the file is there, as 'on_conflict = "
                    + "\(plan.onConflict.rawValue)' needs it to")
        }
    }

    /// The address's own name, or the first of `stem-1.ext`, `stem-2.ext` … that nothing stands under.
    func freeName(for place: UploadPlace, _ server: any FileServer, _ lane: isolated Lane) async throws
        -> FileName
    {
        guard let name = place.address.name else { preconditionFailure("the address names a file") }
        let parts = NameParts(name.bytes)
        var first = 0
        let count = server.namesAtOnce
        while first < Self.mostNames {
            let names = (first..<first + count).compactMap { $0 == 0 ? name : parts.numbered($0) }
            let found = try await server.find(names.map(place.address.renamed), on: lane)
            if let index = found.firstIndex(of: .absent) { return names[index] }
            first += count
        }
        throw Failure(
            .permanent,
            text: "\(doing): no name up to number \(Self.mostNames) is free beside it, or the server "
                + "does not say which is")
    }

    private static let mostNames = 1_024
}
