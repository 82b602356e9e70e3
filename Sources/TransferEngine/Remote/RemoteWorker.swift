internal import TransferModel

/// Looks at or changes something at a file server, and leaves what the server answered in the job's result.
struct RemoteWorker: Worker {
    private let assignment: Assignment
    private let disk = DiskQueue()

    init(_ assignment: Assignment) { self.assignment = assignment }

    private var job: Job { assignment.job }

    private var operation: RemoteOperation {
        switch job.description {
        case .remote(let remote): remote.operation
        case .upload, .form, .download: preconditionFailure("a remote job's worker is given remote jobs")
        }
    }

    func run(on lane: isolated Lane) async throws -> Outcome.Arrival {
        do {
            return try await carryOut(on: lane)
        } catch {
            if !(operation.tellsOfFailure && error is Failure) { await removeResult() }
            throw error
        }
    }

    /// Nothing that was done at the server is taken back, and what is to be read stays.
    func discard(_ remains: Checkpoint, on lane: isolated Lane) async {}

    private func removeResult() async {
        let (id, places) = (job.id, assignment.places)
        try? await disk.value { () throws(Failure) in RemoteResults.remove(id, in: places) }
    }

    private func carryOut(on lane: isolated Lane) async throws -> Outcome.Arrival {
        let server = lane.origin.fileServer(for: assignment)
        let path = try RemotePath(job.url)
        if case .check(let writes) = operation {
            let check = RemoteCheck(assignment: assignment, server: server, path: path)
            let (lines, failure) = try await check.run(writes: writes, on: lane)
            let arrival = try await keep(lines, on: lane)
            if let failure { throw failure }
            return arrival
        }
        try assignment.requireLogin()
        switch operation {
        case .list: return try await list(path, server, lane)
        case .poll: return try await poll(path, server, lane)
        case .putAway(let order):
            try await PuttingAway(job: job, server: server, path: path, order: order).carryOut(on: lane)
            return Outcome.Arrival(size: .zero)
        case .get:
            let fetch = RemoteFetch(assignment: assignment, server: server, disk: disk)
            let (size, digest) = try await fetch.run(path, on: lane)
            return Outcome.Arrival(size: ByteCount(rawValue: size), digest: digest.map { "sha256:\($0)" })
        case .quote(let commands): return try await quote(commands, server, lane)
        case .removeRemains(let path):
            _ = try await server.remove(RemotePath(path), on: lane)
            return Outcome.Arrival(size: .zero)
        case .remove, .rename, .makeDirectory, .removeDirectory, .check:
            try await RemoteChange(server: server, path: path, url: job.url).carryOut(operation, on: lane)
            return Outcome.Arrival(size: .zero)
        }
    }

    private func list(
        _ path: RemotePath, _ server: any FileServer, _ lane: isolated Lane
    ) async throws -> Outcome.Arrival {
        let listing = try await listing(path, server, lane)
        var lines = ResultLines()
        for entry in listing.entries { try lines.append(ListedName(entry)) }
        for line in listing.unreadable { try lines.append(ListedName(unreadable: EscapedText.escape(line))) }
        return try await keep(lines, on: lane)
    }

    /// Links are no files: what they lead to may be anything.
    private func poll(
        _ path: RemotePath, _ server: any FileServer, _ lane: isolated Lane
    ) async throws -> Outcome.Arrival {
        let listing = try await server.list(path, on: lane)
        let files = listing.entries.filter { $0.kind == .file }.map { entry in
            ListedFile(
                name: entry.name, version: FileVersion(size: entry.size, modified: entry.modified))
        }
        lane.report(.listed(job, files, unreadable: listing.unreadable.count))
        return Outcome.Arrival(size: .zero)
    }

    /// Of a path that is no directory, what its directory says of it.
    private func listing(
        _ path: RemotePath, _ server: any FileServer, _ lane: isolated Lane
    ) async throws -> RemoteListing {
        do {
            return try await server.list(path, on: lane)
        } catch let failure as Failure where failure.class == .permanent && failure.scope == .job {
            guard let name = path.names.last else { throw failure }
            let listing = try? await server.list(path.parent, on: lane)
            try lane.checkStop()
            guard let entry = listing?.entries.first(where: { $0.name == name && $0.kind != .directory })
            else { throw failure }
            return RemoteListing(entries: [entry])
        }
    }

    /// A refusal is told with what was answered before it, and is the job's failure.
    private func quote(
        _ commands: [RemoteCommand], _ server: any FileServer, _ lane: isolated Lane
    ) async throws -> Outcome.Arrival {
        let replies = try await server.quote(commands.map(\.bytes), on: lane)
        var lines = ResultLines()
        for (command, reply) in zip(commands, replies) {
            let text = EscapedText.escape(reply.text)
            try lines.append(
                QuotedReply(
                    command: command.description, code: reply.code, text: text, isRefusal: reply.isRefusal))
        }
        let arrival = try await keep(lines, on: lane)
        if let reply = replies.last, reply.isRefusal {
            let command = ForeignText.clean(commands[replies.count - 1].bytes)
            let text = "\(lane.origin) refused '\(command)': \(reply.code) \(ForeignText.clean(reply.text))"
            throw Failure(.permanent, code: reply.code, text: text)
        }
        return arrival
    }

    private func keep(_ lines: ResultLines, on lane: isolated Lane) async throws -> Outcome.Arrival {
        let (id, places) = (job.id, assignment.places)
        try await lane.onDisk(disk) { () throws(Failure) in try lines.write(as: id, in: places) }
        return Outcome.Arrival(size: ByteCount(lines.content.count))
    }
}

extension RemoteOperation {
    /// Whether the result says something even where the job has failed.
    fileprivate var tellsOfFailure: Bool {
        switch self {
        case .quote, .check: true
        case .list, .remove, .removeRemains, .rename, .makeDirectory, .removeDirectory, .get, .poll, .putAway:
            false
        }
    }
}
