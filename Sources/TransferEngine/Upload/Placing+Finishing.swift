internal import TransferModel

extension Placing {
    /// What follows when the file stands under its final name. That it does is durable first, so that a later attempt
    /// does these steps again and nothing else.
    func finish(
        _ place: UploadPlace, _ checkpoint: Checkpoint, _ lane: isolated Lane
    ) async throws -> Outcome.Arrival {
        guard worker.plan.hasLastSteps else { return arrival(proof) }
        var checkpoint = checkpoint
        checkpoint.isInPlace = true
        checkpoint.proof = proof.text
        if checkpoint != worker.job.checkpoint { try await lane.commit(.renaming, checkpoint) }
        var proof = proof
        try await setAttributes(place, checkpoint, &proof, lane)
        let values = TemplateValues(
            job: worker.job, final: place.final, size: size, modified: checkpoint.source?.modified ?? 0,
            sha256: proof.sha256)
        try await writeChecksumFile(values, &proof, lane)
        try await writeMarker(values, &proof, lane)
        try await sendCommands(values, &proof, lane)
        return arrival(proof)
    }

    private func arrival(_ proof: Proof) -> Outcome.Arrival {
        Outcome.Arrival(size: ByteCount(rawValue: size), digest: proof.text)
    }

    /// Best effort: a file is none the worse for its time.
    private func setAttributes(
        _ place: UploadPlace, _ checkpoint: Checkpoint, _ proof: inout Proof, _ lane: isolated Lane
    ) async throws {
        if worker.plan.keepsModified, let modified = checkpoint.source?.modified {
            let time = Timestamp(rawValue: modified / 1_000_000)
            let way = try await server.setModified(time, of: place.final, on: lane)
            proof.note(
                way.map { "modification time by \($0)" }
                    ?? "modification time not kept: the server takes none")
        }
        if let permissions = worker.plan.permissions {
            let way = try await server.setPermissions(permissions, of: place.final, on: lane)
            proof.note(
                way.map { "permissions \(permissions) by \($0)" }
                    ?? "permissions not set: the server refuses to")
        }
    }

    private func writeMarker(
        _ values: TemplateValues, _ proof: inout Proof, _ lane: isolated Lane
    ) async throws {
        let marker = try worker.companion(worker.plan.marker, "marker", values)
        guard let marker else { return }
        try await write([], to: marker, lane)
        proof.note("marker \(FilePath(bytes: marker.names.last ?? []).map(\.description) ?? "")")
    }

    /// Under a temporary name first: a reader must not find it half written.
    private func writeChecksumFile(
        _ values: TemplateValues, _ proof: inout Proof, _ lane: isolated Lane
    ) async throws {
        let file = try worker.companion(worker.plan.checksumFile, "checksum_file", values)
        guard let file, let name = values.final.names.last else { return }
        guard let sha256 = proof.sha256 else {
            throw Failure(
                .permanent, text: "\(worker.doing): there is no SHA-256 for 'checksum_file' of what was sent")
        }
        let line = ChecksumLine.bytes(sha256, name: name)
        let temporary = try UploadPlace.temporary(
            for: file, worker.job, worker.plan.temporaryName, size: Int64(line.count))
        try await write(line, to: temporary, lane)
        if temporary != file { try await rename(temporary, to: file, Int64(line.count), lane) }
        proof.note("checksum file \(EscapedText.escape(file.names.last ?? []))")
    }

    private func rename(
        _ temporary: RemotePath, to file: RemotePath, _ length: Int64, _ lane: isolated Lane
    ) async throws {
        let move = RemoteMove(from: temporary, to: file, size: length, replaces: true)
        switch try await server.move(move, on: lane) {
        case .done: return
        case .lost(let failure), .refused(let failure): throw failure.retried
        case .wrongSize, .taken:
            throw Failure(.temporary, text: "\(worker.doing): the server did not store \(file) whole")
        }
    }

    private func write(_ bytes: [UInt8], to path: RemotePath, _ lane: isolated Lane) async throws {
        let parcel = Parcel(
            path: path, opening: .create, doing: "writing \(path) at \(worker.job.origin)",
            length: Int64(bytes.count), body: BytesBody(bytes))
        switch try await server.store(parcel, on: lane) {
        case .whole: return
        case .unconfirmed(let failure), .refused(let failure, _): throw failure.retried
        case .taken, .again:
            throw Failure(.temporary, text: "\(worker.doing): the server did not take \(path)")
        }
    }

    private func sendCommands(
        _ values: TemplateValues, _ proof: inout Proof, _ lane: isolated Lane
    ) async throws {
        let commands = try worker.commands(worker.plan.afterSent, "after_sent", values)
        guard !commands.isEmpty else { return }
        let replies = try await server.quote(commands, on: lane)
        if let last = replies.last, last.isRefusal, !commands[replies.count - 1].isRefusable {
            throw refusal(of: commands[replies.count - 1], last)
        }
        proof.note("\(commands.count) \(commands.count == 1 ? "command" : "commands") after it")
    }

    private func refusal(of command: [UInt8], _ reply: RemoteReply) -> Failure {
        let words = EscapedText.escape(command)
        return Failure(
            (500...599).contains(reply.code) ? .permanent : .temporary, code: reply.code,
            text: "\(worker.doing): the file is in place, but the server refuses '\(words)' of 'after_sent': "
                + "\(reply.code) \(ForeignText.clean(reply.text))")
    }
}

extension [UInt8] {
    /// Whether a command's refusal ends nothing.
    fileprivate var isRefusable: Bool { first == UInt8(ascii: "*") }
}

extension Failure {
    /// The file is in place already: whatever stands in the way of what belongs to it may pass.
    fileprivate var retried: Failure {
        var failure = self
        if scope == .job { failure.class = .temporary }
        return failure
    }
}
