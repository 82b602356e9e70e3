internal import TransferModel

/// The tries to hand over one file in one attempt.
final class Sending {
    enum Sent {
        case whole
        /// No byte moved; the server says no.
        case refused(Failure)
    }

    private let worker: UploadWorker
    private let source: UploadWorker.Source
    private let place: UploadPlace
    private let checkpoint: Checkpoint
    private let algorithms: Set<ChecksumAlgorithm>
    private let server: any FileServer
    /// Of the last try, where it sent the whole file.
    private(set) var digests: SourceDigests?

    init(
        worker: UploadWorker, source: UploadWorker.Source, place: UploadPlace, checkpoint: Checkpoint,
        algorithms: Set<ChecksumAlgorithm>, server: any FileServer
    ) {
        self.worker = worker
        self.source = source
        self.place = place
        self.checkpoint = checkpoint
        self.algorithms = algorithms
        self.server = server
    }

    func attempt(_ opening: Parcel.Opening, _ lane: isolated Lane) async throws -> Sent {
        let start = opening.offset
        let begun = start == 0 ? source.feed : nil
        digests = begun?.digests ?? (start == 0 ? SourceDigests(algorithms) : nil)
        let feed = begun ?? source.feed(from: start, on: worker.disk, digests: digests)
        defer { feed.end() }
        feed.buffers.onContent { [weak lane] in lane?.resume() }
        let body = UploadBody(feed.buffers, from: start, progress: worker.assignment.progress)
        let parcel = try parcel(opening, body)
        remind(body, lane)
        defer {
            lane.forgetReminder()
            // What stood under a final name is gone once its bytes were asked for.
            if body.hasBegun { lane.keep(.sending, checkpoint) }
        }
        var stored = try await server.store(parcel, on: lane)
        if case .refused(_, mayLackDirectory: true) = stored, !directories.isEmpty {
            try await server.makeDirectories(directories, on: lane)
            stored = try await server.store(parcel, on: lane)
        }
        return try await judge(stored, lane)
    }

    private func parcel(_ opening: Parcel.Opening, _ body: UploadBody) throws(Failure) -> Parcel {
        let values = TemplateValues(
            job: worker.job, final: place.final, temporary: place.temporary, size: source.size,
            modified: source.identity.modified)
        return Parcel(
            path: place.temporary, opening: opening, doing: worker.doing,
            commands: try worker.commands(worker.plan.before, "before", values),
            length: source.size - opening.offset, body: body, type: worker.plan.type)
    }

    /// A file that is through in a moment needs no record to be resumed by.
    private func remind(_ body: UploadBody, _ lane: isolated Lane) {
        lane.remind(after: .seconds(1)) { [checkpoint] in
            if body.hasBegun { lane.record(.sending, checkpoint) } else { self.remind(body, lane) }
        }
    }

    /// The upper ones first: of the temporary file and, where it goes elsewhere, of the final one.
    private var directories: [RemotePath] {
        let own = place.temporary.parents
        return own + place.final.parents.filter { !own.contains($0) }
    }

    private func judge(_ stored: Stored, _ lane: isolated Lane) async throws -> Sent {
        switch stored {
        case .whole: return .whole
        case .refused(let failure, _):
            guard failure.class == .permanent else { throw failure }
            return .refused(failure)
        case .unconfirmed(let failure):
            // All is handed over and nobody said how it ended: the size on a new connection does.
            lane.control.cutConnection()
            guard worker.plan.comparesSize,
                try await worker.settledSize(place.temporary, server, lane) == source.size
            else { throw failure }
            return .whole
        }
    }
}
