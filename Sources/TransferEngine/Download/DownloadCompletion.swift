internal import TransferModel

/// The last steps of a download: proof, the stage that says so, and the rename.
struct DownloadCompletion {
    let place: DownloadPlace

    /// The file is whole as far as the server says.
    func complete(lengthIsVerified: Bool, on lane: isolated Lane) async throws -> Outcome.Arrival {
        let (file, notes, whole) = try await place.finish(on: lane)
        let version = lane.checkpoint.validator ?? Checkpoint.Validator()
        let size = ByteCount(rawValue: whole.size)
        let claims = place.claims(version)
        try await verify(whole.digests, whole.size, claims, on: lane)
        var checkpoint = lane.checkpoint
        checkpoint.localTemporary = file.temporary
        checkpoint.validator = version
        checkpoint.validator?.total = size
        checkpoint.proof = proof(claims, lengthIsVerified, notes)
        place.progress.setLimit(size)
        place.progress.advance(to: size)
        return try await put(file.temporary, checkpoint, on: lane)
    }

    private func proof(_ claims: DownloadClaims, _ lengthIsVerified: Bool, _ notes: [String]) -> String? {
        var proofs = claims.proofs
        if !lengthIsVerified {
            let last = proofs.popLast() ?? "unproven"
            proofs.append("\(last) (the server announced no length)")
        }
        if place.mirror != nil { proofs.append("from \(place.address)") }
        proofs += notes
        return proofs.isEmpty ? nil : proofs.joined(separator: "; ")
    }

    /// An earlier attempt had come to the rename: what is left of it. nil when there is neither the temporary file nor
    /// the very same file at the target.
    func goOn(on lane: isolated Lane) async throws -> Outcome.Arrival? {
        let checkpoint = lane.checkpoint
        guard let temporary = checkpoint.localTemporary, let size = checkpoint.validator?.total else {
            return nil
        }
        let place = place
        let name = checkpoint.chosenName ?? place.directory.target
        let isThere = try await lane.onDisk(place.disk) { () throws(Failure) in
            guard place.directory.isFile(temporary, size: size.rawValue, at: name) else { return false }
            try place.directory.flush()
            return true
        }
        if isThere {
            place.progress.begin(at: size, limit: size)
            return arrival(checkpoint)
        }
        guard let digests = try await look(at: temporary, size: size, on: lane) else { return nil }
        place.progress.begin(at: size, limit: size)
        try await verify(digests, size.rawValue, place.claims(nil), on: lane)
        return try await put(temporary, checkpoint, on: lane)
    }

    private func look(
        at temporary: Checkpoint.LocalTemporary, size: ByteCount, on lane: isolated Lane
    ) async throws -> [ChecksumAlgorithm: String]? {
        let place = place
        return try await lane.onDisk(place.disk) { () throws(Failure) -> [ChecksumAlgorithm: String]? in
            guard let file = place.directory.reopen(temporary, holding: size.rawValue) else { return nil }
            let size = size.rawValue
            let whole = try DownloadFile(
                resumed: file, as: temporary, SegmentPlan(from: size, durable: size, total: size),
                digests: place.claims(nil).algorithms, progress: place.progress)
            return try whole.finish().digests
        }
    }

    /// Throws when the file has another checksum or size than it has to have; it is removed then.
    ///
    /// A file that came in one go would come the same way again: permanent, where a person said what it has to be. One
    /// that was put together from several tries is fetched anew, and so is one that its server itself says is wrong.
    private func verify(
        _ digests: [ChecksumAlgorithm: String], _ size: Int64, _ claims: DownloadClaims,
        on lane: isolated Lane
    ) async throws {
        let wrongSize = place.objection(toSize: size)
        let wrong = claims.mismatch(in: digests)
        guard wrong != nil || wrongSize != nil else { return }
        let place = place
        let isMixed = place.share.isMixed
        let cameInOneGo = place.progress.start == .zero && !isMixed
        try await place.disk.value { () throws(Failure) in
            place.directory.remove(place.directory.temporaryName(place.job.id))
        }
        var checkpoint = Checkpoint()
        checkpoint.distrustsMirrors = isMixed || lane.checkpoint.distrustsMirrors == true ? true : nil
        lane.keep(.sending, checkpoint)
        place.progress.begin(at: .zero, limit: nil)
        let isFinal = cameInOneGo && wrong?.source != .server
        guard let wrong else {
            throw Failure(isFinal ? .permanent : .temporary, text: wrongSize?.text ?? "")
        }
        let found = digests[wrong.checksum.computed] ?? "?"
        throw Failure(
            isFinal ? .permanent : .temporary,
            text: "the file that came has the checksum \(wrong.checksum.algorithm.rawValue):\(found), not "
                + "\(wrong.checksum) as \(wrong.source.words) has it")
    }

    func arrival(_ checkpoint: Checkpoint) -> Outcome.Arrival {
        let name = checkpoint.chosenName.map { ["saved as \($0)"] } ?? []
        let digest = (checkpoint.proof.map { [$0] } ?? []) + name
        return Outcome.Arrival(
            size: checkpoint.validator?.total ?? .zero,
            digest: digest.isEmpty ? nil : digest.joined(separator: "; "))
    }
}
