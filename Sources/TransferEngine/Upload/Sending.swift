internal import TransferModel

/// The tries to hand over one file in one attempt.
final class Sending {
    enum Sent: Hashable {
        case whole
        /// Nothing was stored; the server says no.
        case refused(Failure)
        /// Something stands there that was not to be replaced.
        case taken
    }

    private let worker: UploadWorker
    private let source: UploadWorker.Source
    private let place: UploadPlace
    private let checkpoint: Checkpoint
    private let algorithms: Set<ChecksumAlgorithm>
    private let server: any FileServer
    /// Of the last try, where it sent the whole file.
    private(set) var digests: SourceDigests?
    /// Whether a try whose end nobody told may have stored the file.
    private(set) var mayHaveArrived = false
    /// Whether the feed that began with the attempt can still be had.
    private var isFirst: Bool

    init(
        worker: UploadWorker, source: UploadWorker.Source, place: UploadPlace, checkpoint: Checkpoint,
        algorithms: Set<ChecksumAlgorithm>, server: any FileServer, isFirst: Bool
    ) {
        self.worker = worker
        self.source = source
        self.place = place
        self.checkpoint = checkpoint
        self.algorithms = algorithms
        self.server = server
        self.isFirst = isFirst
    }

    func attempt(_ opening: Parcel.Opening, _ lane: isolated Lane) async throws -> Sent {
        var mayMakeDirectories = !directories.isEmpty
        var lack: Failure?
        while true {
            let stored = try await once(opening, lane)
            switch stored {
            case .refused(_, mayLackDirectory: true) where mayMakeDirectories:
                mayMakeDirectories = false
                lack = try await server.makeDirectories(directories, on: lane)
            case .refused(let failure, mayLackDirectory: true):
                return try await judge(
                    .refused(lack.map(failure.after) ?? failure, mayLackDirectory: true), lane)
            case .again(let mayHaveArrived): self.mayHaveArrived = self.mayHaveArrived || mayHaveArrived
            case .whole, .unconfirmed, .refused, .taken: return try await judge(stored, lane)
            }
            worker.assignment.progress.begin(
                at: ByteCount(rawValue: opening.offset), limit: source.identity.size)
        }
    }

    private func once(_ opening: Parcel.Opening, _ lane: isolated Lane) async throws -> Stored {
        let feed = feed(from: opening.offset)
        defer { feed.end() }
        feed.buffers.onContent { [weak lane] in lane?.resume() }
        let body = UploadBody(feed.buffers, from: opening.offset, progress: worker.assignment.progress)
        remind(body, lane)
        defer {
            lane.forgetReminder()
            // What stood under a final name is gone once its bytes were asked for.
            if body.hasBegun { lane.keep(.sending, checkpoint) }
        }
        return try await server.store(try parcel(opening, body), on: lane)
    }

    /// The one that began with the attempt, once; a body that was asked for cannot be given again.
    private func feed(from start: Int64) -> SourceFeed {
        if start == 0, isFirst, let begun = source.feed {
            isFirst = false
            digests = begun.digests
            return begun
        }
        digests = start == 0 ? SourceDigests(algorithms) : nil
        return source.feed(from: start, on: worker.disk, digests: digests)
    }

    private func parcel(_ opening: Parcel.Opening, _ body: UploadBody) throws(Failure) -> Parcel {
        let values = TemplateValues(
            job: worker.job, final: place.final, temporary: place.temporary, size: source.size,
            modified: source.identity.modified)
        var parcel = Parcel(
            path: place.temporary, opening: opening, doing: worker.doing,
            commands: try worker.commands(worker.plan.before, "before", values),
            length: source.size - opening.offset, body: body, type: worker.plan.type)
        parcel.replaces = !place.isDirect || worker.plan.onConflict == .replace
        if worker.plan.keepsModified {
            parcel.modified = Timestamp(rawValue: source.identity.modified / 1_000_000)
        }
        return parcel
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
        case .taken: return .taken
        case .again: preconditionFailure("a body that is to be sent again is no end")
        case .unconfirmed(let failure):
            // All is handed over and nobody said how it ended: the size on a new connection does.
            lane.control.cutConnection()
            guard !server.storesAtomically, worker.plan.comparesSize,
                try await worker.settledSize(place.temporary, server, lane) == source.size
            else { throw failure }
            return .whole
        }
    }
}

extension Failure {
    /// With what was said against the directory that is missing: where that may pass, so may this.
    fileprivate func after(_ lack: Failure) -> Failure {
        var failure = self
        if lack.class == .temporary { failure.class = .temporary }
        failure.text += "; and \(lack.text)"
        return failure
    }
}
