internal import TransferModel

extension DownloadCompletion {
    private var policy: ConflictPolicy { place.delivery.onConflict ?? .replace }

    /// Gives the proven file its name: the one that the server told where that is asked for, else the target's; and where
    /// it is taken, as the policy has it. The stage is durable before.
    func put(
        _ temporary: Checkpoint.LocalTemporary, _ proven: Checkpoint, on lane: isolated Lane
    ) async throws -> Outcome.Arrival {
        let place = place
        let policy = policy
        let wanted = proven.chosenName ?? place.directory.target
        var checkpoint = proven
        while true {
            let name = try await self.name(for: wanted, policy)
            checkpoint.chosenName = name == place.directory.target ? nil : name
            try await lane.commit(.renaming, checkpoint)
            // Not left by a stop: whether the target stands is known afterwards.
            let isPut = try await place.disk.value(unlessQuick: place.directory.isInMemory) {
                () throws(Failure) in
                if policy != .replace { return try place.directory.put(temporary.name, as: name) }
                try place.directory.rename(temporary.name, to: name)
                return true
            }
            if isPut { return arrival(checkpoint) }
            switch policy {
            case .replace, .rename: continue
            case .skip, .fail: throw end(for: name)
            }
        }
    }

    private func name(for wanted: FileName, _ policy: ConflictPolicy) async throws(Failure) -> FileName {
        guard policy == .rename else { return wanted }
        let place = place
        return try await place.disk.value { () throws(Failure) in try place.directory.firstFree(of: wanted) }
    }

    /// Before anything is asked of the server: whether the policy leaves the job nothing to do.
    func giveWayEarly(on lane: isolated Lane) async throws {
        switch policy {
        case .replace, .rename: return
        case .skip, .fail: break
        }
        // The name may still come from the server.
        guard place.wishes.takesServerName != true else { return }
        let place = place
        let isTaken = try await lane.onDisk(place.disk) { () throws(Failure) in
            try place.directory.holds(place.directory.target)
        }
        if isTaken { throw end(for: place.directory.target) }
    }

    /// The name is taken and the policy gives way to it.
    private func end(for name: FileName) -> any Error {
        let path = place.directory.path(of: name)
        if policy == .skip { return LeftAlone(reason: "not saved: '\(path)' is already there") }
        return Failure(.permanent, text: "'\(path)' is already there, and 'on_conflict = fail' keeps it")
    }

    /// The job is done without a new file; nothing of it stays.
    func leave(_ left: LeftAlone, on lane: isolated Lane) async throws -> Outcome.Arrival {
        let place = place
        await place.close()
        try await place.disk.value { () throws(Failure) in
            place.directory.remove(place.directory.temporaryName(place.job.id))
        }
        var checkpoint = Checkpoint()
        checkpoint.isLeftOut = true
        lane.keep(.sending, checkpoint)
        place.progress.begin(at: .zero, limit: nil)
        return Outcome.Arrival(size: .zero, digest: left.reason)
    }
}

extension DownloadPlace {
    /// Gives a whole file its time, its permissions and the note of its version, as far as they are asked for; on the
    /// disk queue. What could not be done for want of a word from the server, in sentences.
    func dress(_ file: DownloadFile, as version: Checkpoint.Validator) throws(Failure) -> [String] {
        var notes: [String] = []
        if let permissions = delivery.permissions { try file.setPermissions(permissions) }
        if delivery.keepsModified == true {
            if let time = modified(version) {
                try file.setModified(time)
            } else {
                notes.append("the server tells no modification time")
            }
        }
        if wishes.isForNewer == true { file.note(version, of: job.url) }
        return notes
    }
}
