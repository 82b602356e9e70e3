internal import TransferModel

/// Carries one file to an FTP or FTPS server: under a temporary name, compared, then renamed.
///
/// Stage `renaming` is committed when the server has confirmed the whole file and before its size is compared and it is
/// renamed, which are one request: the rename is sent only if the size is right. What the stage licenses a later
/// attempt to conclude holds either way. While the temporary file stands its size is compared again; only when it is
/// gone, which nobody but the rename does, does a final name of that size mean done.
struct UploadWorker: Worker {
    let assignment: Assignment
    let disk = DiskQueue()

    init(_ assignment: Assignment) { self.assignment = assignment }

    var job: Job { assignment.job }

    /// The source as this attempt found it.
    struct Source: Sendable {
        let file: OpenFile
        let identity: FileIdentity
        /// The whole file, when it was certain from the start that all of it would be sent.
        var feed: SourceFeed?
        var size: Int64 { identity.size.rawValue }
    }

    func run(on lane: isolated Lane) async throws -> Outcome.Arrival {
        let target = try target()
        if job.stage == .renaming, let arrival = try await goOnRenaming(target, lane) { return arrival }
        let source = try await open(lane, feeds: job.checkpoint == Checkpoint())
        let checkpoint = checkpoint(for: source, target)
        let begun = job.checkpoint == checkpoint ? try await sizeToResume(source, target, lane) : 0
        assignment.progress.begin(at: ByteCount(rawValue: begun), limit: source.identity.size)
        lane.keep(.sending, checkpoint)
        if begun < source.size || source.size == 0 {
            try await send(source, from: begun, to: target, checkpoint, lane)
        }
        return try await rename(target, size: source.size, checkpoint, lane)
    }

    /// Removes the temporary file, on a connection of its own if need be.
    func discard(on lane: isolated Lane) async {
        guard lane.checkpoint.remoteTemporary != nil, let target = try? target() else { return }
        var request = request(target, [target.command("*DELE", target.temporary)])
        request.timeout = Lane.cleanupTime
        let answer = try? await lane.perform(request)
        if answer?.replies.code != 250 {
            let path = EscapedText.escape(target.path(of: target.temporary))
            lane.report(
                .notice(severity: 6, text: "job \(job.id): \(path) at \(job.origin) could not be removed"))
        }
    }

    private func target() throws(Failure) -> RemoteTarget {
        try assignment.requireLogin()
        guard job.origin.scheme != .sftp else {
            throw Failure(
                .permanent, text: "sftp:// is not spoken yet; use ftps://, or ftp:// with 'tls = require'")
        }
        return try RemoteTarget(job)
    }

    /// `feeds`: reading begins in the same visit to the disk queue.
    func open(_ lane: isolated Lane, feeds: Bool) async throws -> Source {
        guard case .upload(let upload) = job.description else { preconditionFailure("the job is an upload") }
        let opener = SourceOpener(places: assignment.places)
        return try await lane.onDisk(disk) { [disk] () throws(Failure) in
            let file = try opener.open(upload.source)
            do throws(SystemError) {
                var source = Source(file: file, identity: try file.identity())
                if feeds { source.feed = source.feed(from: 0, on: disk) }
                return source
            } catch {
                throw error.failure
            }
        }
    }

    private func checkpoint(for source: Source, _ target: RemoteTarget) -> Checkpoint {
        var checkpoint = Checkpoint()
        checkpoint.source = source.identity
        checkpoint.remoteTemporary = target.temporary
        return checkpoint
    }

    /// A request that transfers nothing: commands and their replies.
    func request(_ target: RemoteTarget, _ commands: [[UInt8]]) -> Request {
        var request = Request(url: target.root)
        request.commands = commands
        request.set(.noBody, true)
        request.set(.receiveBufferSize, 16_384)
        return request
    }

    var doing: String { "uploading to \(job.url)" }
}

extension UploadWorker.Source {
    /// The file from `start` on, being read.
    func feed(from start: Int64, on disk: DiskQueue) -> SourceFeed {
        SourceFeed(file, identity: identity, range: start..<size, on: disk)
    }
}
