internal import TransferModel

/// The last steps of a download: proof, the stage that says so, and the rename.
struct DownloadCompletion {
    let place: DownloadPlace

    /// The file is whole as far as the server says.
    func complete(lengthIsVerified: Bool, on lane: isolated Lane) async throws -> Outcome.Arrival {
        guard let file = place.file else { preconditionFailure("a whole file has been written") }
        let (size, digest) = try await lane.onDisk(place.disk) { () throws(Failure) in try file.finish() }
        try await verify(digest, on: lane)
        var checkpoint = lane.checkpoint
        checkpoint.localTemporary = file.temporary
        checkpoint.validator = checkpoint.validator ?? Checkpoint.Validator()
        checkpoint.validator?.total = ByteCount(rawValue: size)
        place.progress.setLimit(ByteCount(rawValue: size))
        place.progress.advance(to: ByteCount(rawValue: size))
        try await lane.commit(.renaming, checkpoint)
        try await rename(file.temporary.name)
        let words = lengthIsVerified ? "" : " (the server announced no length)"
        let proof = digest.map { "sha256:\($0)" } ?? (lengthIsVerified ? nil : "unproven")
        return Outcome.Arrival(size: ByteCount(rawValue: size), digest: proof.map { $0 + words })
    }

    /// An earlier attempt had come to the rename: what is left of it. nil when there is neither the temporary file nor
    /// the very same file at the target.
    func goOn(on lane: isolated Lane) async throws -> Outcome.Arrival? {
        let checkpoint = lane.checkpoint
        guard let temporary = checkpoint.localTemporary, let size = checkpoint.validator?.total else {
            return nil
        }
        let place = place
        let isThere = try await lane.onDisk(place.disk) { () throws(Failure) in
            guard place.directory.targetIs(temporary, size: size.rawValue) else { return false }
            try place.directory.flush()
            return true
        }
        if isThere {
            place.progress.begin(at: size, limit: size)
            return Outcome.Arrival(size: size, digest: place.description.checksum?.description)
        }
        guard let whole = try await look(at: temporary, size: size, on: lane) else { return nil }
        place.progress.begin(at: size, limit: size)
        try await verify(whole.digest, on: lane)
        try await rename(temporary.name)
        return Outcome.Arrival(size: size, digest: whole.digest.map { "sha256:\($0)" })
    }

    private func look(
        at temporary: Checkpoint.LocalTemporary, size: ByteCount, on lane: isolated Lane
    ) async throws -> (size: Int64, digest: String?)? {
        let place = place
        return try await lane.onDisk(place.disk) { () throws(Failure) -> (size: Int64, digest: String?)? in
            guard let file = place.directory.reopen(temporary, holding: size.rawValue) else { return nil }
            let size = size.rawValue
            let whole = try DownloadFile(
                resumed: file, as: temporary, SegmentPlan(from: size, durable: size, total: size),
                hashes: place.hashes, progress: place.progress)
            return try whole.finish()
        }
    }

    /// Throws when a checksum was asked for and is another one; the file is removed then.
    ///
    /// A file that came in one go would come the same way again: permanent. One that was put together from several
    /// tries is fetched anew.
    private func verify(_ digest: String?, on lane: isolated Lane) async throws {
        guard let checksum = place.description.checksum, digest != checksum.hexadecimal else { return }
        let place = place
        let cameInOneGo = place.progress.start == .zero
        try await place.disk.value { () throws(Failure) in
            place.directory.remove(place.directory.temporaryName(place.job.id))
        }
        lane.keep(.sending, Checkpoint())
        place.progress.begin(at: .zero, limit: nil)
        throw Failure(
            cameInOneGo ? .permanent : .temporary,
            text: "the file that came has the checksum sha256:\(digest ?? "?"), not \(checksum)")
    }

    /// Not left by a stop: whether the target stands is known afterwards.
    private func rename(_ name: FileName) async throws {
        let place = place
        try await place.disk.value { () throws(Failure) in try place.directory.rename(name) }
    }
}
