internal import TransferModel

extension UploadWorker {
    /// The checksums that are to be computed while the file is read.
    func algorithms(_ server: any FileServer, _ lane: isolated Lane) async throws -> Set<ChecksumAlgorithm> {
        var wanted: Set<ChecksumAlgorithm> = plan.needsSHA256 ? [.sha256] : []
        if plan.verification == .checksum, plan.comparesSize,
            let offered = try await server.checksumAlgorithm(on: lane)
        {
            wanted.insert(offered)
        }
        return wanted
    }

    /// What the plan asks for besides the size, of the file as it was sent.
    func verify(
        _ source: Source, _ place: UploadPlace, _ digests: SourceDigests?,
        _ algorithms: Set<ChecksumAlgorithm>, _ server: any FileServer, _ lane: isolated Lane
    ) async throws -> Proof {
        var proof = Proof()
        var known = digests?.finish() ?? [:]
        if !algorithms.isSubset(of: known.keys) { known = try await checksums(algorithms, source, lane) }
        if let sha256 = known[.sha256] { proof.note(sha256: sha256) }
        guard plan.comparesSize else {
            proof.note(
                plan.type == .ascii
                    ? "not verified: the server may have changed the line ends of a text"
                    : "nothing verified but the server's answer")
            return proof
        }
        switch plan.verification {
        case .size, .answer: break
        case .checksum: try await compareChecksum(source, place, known, &proof, server, lane)
        case .readBack: try await readBack(source, place, &proof, server, lane)
        }
        return proof
    }

    private func compareChecksum(
        _ source: Source, _ place: UploadPlace, _ known: [ChecksumAlgorithm: String], _ proof: inout Proof,
        _ server: any FileServer, _ lane: isolated Lane
    ) async throws {
        guard let theirs = try await server.checksum(of: place.temporary, on: lane) else {
            proof.note("no checksum: the server computes none")
            return
        }
        var ours = known[theirs.algorithm]
        if ours == nil { ours = try await checksums([theirs.algorithm], source, lane)[theirs.algorithm] }
        guard ours == theirs.hexadecimal else {
            try await reject(
                place, "its \(theirs.algorithm.rawValue) is \(theirs.hexadecimal), not \(ours ?? "known")",
                server, lane)
        }
        proof.noteEqual("\(theirs.algorithm.rawValue) by \(theirs.command)")
    }

    private func readBack(
        _ source: Source, _ place: UploadPlace, _ proof: inout Proof, _ server: any FileServer,
        _ lane: isolated Lane
    ) async throws {
        let range = max(0, source.size - Self.comparedBytes)..<source.size
        guard !range.isEmpty else { return }
        switch try await isSame(range, source, place.temporary, server, lane) {
        case true: proof.noteEqual("last \(range.count) bytes read back")
        case false: try await reject(place, "its last \(range.count) bytes are others", server, lane)
        case nil: proof.note("not read back: the server does not let it be read")
        }
    }

    /// By reading the whole source once more.
    private func checksums(
        _ algorithms: Set<ChecksumAlgorithm>, _ source: Source, _ lane: isolated Lane
    ) async throws -> [ChecksumAlgorithm: String] {
        guard let digests = SourceDigests(algorithms) else { return [:] }
        defer { digests.giveUp() }
        let file = source.file
        let identity = source.identity
        return try await lane.onDisk(disk) { () throws(Failure) in try digests.read(file, of: identity) }
    }

    /// The server confirmed a file that it does not have: nothing of it is kept.
    func reject(
        _ place: UploadPlace, _ words: String, _ server: any FileServer, _ lane: isolated Lane
    ) async throws -> Never {
        try await startOver(place, lane)
        if !place.isDirect || !server.storesAtomically {
            _ = try await server.remove(place.temporary, on: lane)
        }
        throw Failure(.temporary, text: "\(doing): the server said that all was well, but \(words)")
    }

    /// Before anything is done that would let a later attempt see a rename that wasn't.
    func startOver(_ place: UploadPlace, _ lane: isolated Lane) async throws {
        var checkpoint = job.checkpoint.begunAnew
        if !place.isDirect { checkpoint.remoteTemporary = place.temporary.stored }
        try await lane.commit(.sending, checkpoint)
    }
}
