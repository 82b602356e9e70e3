internal import TransferModel

/// Carries one file to a file server: sent under a temporary name, verified, renamed, and told of.
///
/// Stage `renaming` is committed when the server has confirmed the whole file and before its size is compared and it is
/// renamed, which over FTP are one request: the rename is sent only if the size is right. What the stage licenses a later
/// attempt to conclude holds either way. While the temporary file stands its size is compared again; only when it is
/// gone, which nobody but the rename does, does a final name of that size mean done.
///
/// Where steps follow the rename, that the file is in place is committed before the first of them. They are done at
/// least once: an attempt that ends in their midst is followed by one that does them all again, and sends nothing.
struct UploadWorker: Worker {
    let assignment: Assignment
    let plan: DeliveryPlan
    let disk = DiskQueue()

    init(_ assignment: Assignment) {
        self.assignment = assignment
        plan = DeliveryPlan(assignment.delivery, scheme: assignment.job.origin.scheme)
    }

    var job: Job { assignment.job }

    /// The source as this attempt found it.
    struct Source: Sendable {
        let file: OpenFile
        let identity: FileIdentity
        /// Whether looking at it again need not wait for a disk.
        var isHot = false
        /// The whole file, when it was certain from the start that all of it would be sent.
        var feed: SourceFeed?
        var size: Int64 { identity.size.rawValue }
    }

    func run(on lane: isolated Lane) async throws -> Outcome.Arrival {
        try assignment.requireLogin()
        try checkNames()
        if let arrival = try await goOnFromEarlier(lane) { return arrival }
        let server = server()
        let algorithms = try await algorithms(server, lane)
        let source = try await open(lane, feeding: job.checkpoint.hasBegun ? nil : algorithms)
        var place = try UploadPlace(job, plan, size: source.size)
        var checkpoint = checkpoint(for: source, place)
        let isBegun = job.checkpoint.remoteTemporary == checkpoint.remoteTemporary
        if let end = try await settleConflict(&place, isBegun: isBegun, server, lane) { return end }
        checkpoint.remoteTemporary = place.temporary.stored
        checkpoint.chosenName = place.chosenName
        var opening = Parcel.Opening.create
        if isBegun, job.stage == .sending, job.checkpoint.source == checkpoint.source {
            opening = try await self.opening(source, place, server, lane)
        }
        try await clear(place, opening, server, lane)
        let digests: SourceDigests?
        switch try await send(
            source, opening, to: &place, &checkpoint, algorithms, isBegun: isBegun, server, lane)
        {
        case .sent(let found): digests = found
        case .givesWay: return try await end(for: place, server, lane)
        }
        try await requireStanding(source, lane)
        let proof = try await verify(source, place, digests, algorithms, server, lane)
        return try await putInPlace(place, source.size, checkpoint, proof, server, lane)
    }

    /// Removes the temporary file, on a connection of its own if need be; reports it where that cannot be done now.
    func discard(_ remains: Checkpoint, on lane: isolated Lane) async {
        guard let path = remains.remains else { return }
        do {
            _ = try await server(limit: Lane.cleanupTime).remove(RemotePath(path), on: lane)
        } catch {
            lane.report(.left(job, path))
        }
    }

    func server(limit: Duration? = nil) -> any FileServer {
        job.origin.fileServer(for: assignment, limit: limit)
    }

    /// `feeding`: reading begins in the same visit to the disk queue, with these checksums; nil: not yet.
    func open(_ lane: isolated Lane, feeding algorithms: Set<ChecksumAlgorithm>?) async throws -> Source {
        guard case .upload(let upload) = job.description else { preconditionFailure("the job is an upload") }
        let opener = SourceOpener(places: assignment.places)
        if algorithms?.isEmpty == true, let hot = opener.openHot(upload.source) {
            return Source(file: hot.file, identity: hot.identity, isHot: true, feed: SourceFeed(hot))
        }
        return try await lane.onDisk(disk) { [disk] () throws(Failure) in
            let file = try opener.open(upload.source)
            do throws(SystemError) {
                var source = Source(file: file, identity: try file.identity())
                if let algorithms {
                    source.feed = source.feed(from: 0, on: disk, digests: SourceDigests(algorithms))
                }
                return source
            } catch {
                throw error.failure
            }
        }
    }

    /// A source that changed after its last byte was read has changed as well: what was sent is not what stands there.
    private func requireStanding(_ source: Source, _ lane: isolated Lane) async throws {
        if source.isHot { return try source.file.requireStanding(as: source.identity) }
        try await lane.onDisk(disk) { () throws(Failure) in
            try source.file.requireStanding(as: source.identity)
        }
    }

    private func checkpoint(for source: Source, _ place: UploadPlace) -> Checkpoint {
        var checkpoint = job.checkpoint.begunAnew
        checkpoint.source = source.identity
        checkpoint.remoteTemporary = place.temporary.stored
        if place.isDirect { checkpoint.isDirect = true }
        return checkpoint
    }

    var doing: String { "uploading to \(job.url)" }
}

extension UploadWorker.Source {
    /// The file from `start` on, being read.
    func feed(from start: Int64, on disk: DiskQueue, digests: SourceDigests? = nil) -> SourceFeed {
        SourceFeed(file, identity: identity, range: start..<size, on: disk, digests: digests)
    }
}
