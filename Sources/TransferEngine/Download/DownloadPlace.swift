internal import Synchronization
internal import TransferModel

/// Where one download's bytes go while it runs: its directory, its temporary file, and who is told about them.
struct DownloadPlace: Sendable {
    let job: Job
    let description: DownloadDescription
    let directory: DownloadDirectory
    let disk: DiskQueue
    let progress: Progress
    /// The temporary file of this attempt; of the one before while nothing was replaced.
    private let current = CurrentFile()

    private final class CurrentFile: Sendable {
        let file = Mutex<DownloadFile?>(nil)
    }

    init(
        _ assignment: Assignment, _ description: DownloadDescription, _ directory: DownloadDirectory,
        _ disk: DiskQueue
    ) {
        job = assignment.job
        self.description = description
        self.directory = directory
        self.disk = disk
        progress = assignment.progress
    }

    var file: DownloadFile? { current.file.withLock { $0 } }

    var hasChecksum: Bool { description.checksum != nil }

    /// Opens the file that an earlier attempt left, at the offset that is known to be durable; nil when there is none
    /// that is beyond doubt our own.
    ///
    /// - Parameter overlap: bytes before the offset that the server is asked for again, to compare.
    func resume(overlap: Int64 = 0, on lane: isolated Lane) async throws -> DownloadFile? {
        guard let temporary = job.checkpoint.localTemporary, job.offset > .zero else { return nil }
        let offset = job.offset.rawValue
        let place = self
        let file = try await lane.onDisk(disk) { () throws(Failure) -> DownloadFile? in
            guard let file = place.directory.reopen(temporary, holding: offset) else { return nil }
            return try DownloadFile(
                resumed: file, as: temporary, at: offset, overlap: min(overlap, offset),
                hashes: place.hasChecksum, progress: place.progress)
        }
        if let file {
            progress.begin(at: job.offset, limit: job.checkpoint.validator?.total)
            current.file.withLock { $0 = file }
        }
        return file
    }

    /// `body` goes into a fresh file from its first byte on.
    ///
    /// The file and its version are reported before a byte of it counts. Where an earlier file is on record, not even a
    /// byte is written before that is durable: the new file may have the old one's inode.
    func replace(with piece: DownloadPiece, _ body: DownloadBody, on lane: isolated Lane) {
        progress.begin(at: .zero, limit: piece.total.map(ByteCount.init(rawValue:)))
        let place = self
        let mustWait = lane.checkpoint.localTemporary != nil
        disk.run {
            do throws(Failure) {
                let name = place.directory.temporaryName(place.job.id)
                let file = try DownloadFile(
                    fresh: place.directory.create(name), name: name, progress: place.progress)
                place.current.file.withLock { $0 = file }
                lane.onQueue { lane in
                    place.report(file, piece, on: lane) { if mustWait { body.store(in: file) } }
                    if !mustWait { body.store(in: file) }
                }
            } catch {
                body.fail(error)
            }
        }
    }

    private func report(
        _ file: DownloadFile, _ piece: DownloadPiece, on lane: isolated Lane,
        recorded: @escaping @Sendable () -> Void
    ) {
        var checkpoint = lane.checkpoint
        checkpoint.localTemporary = file.temporary
        checkpoint.validator = piece.validator
        lane.keep(.sending, checkpoint)
        let durable: @Sendable () -> Void = {
            file.mayCount()
            recorded()
        }
        lane.report(.staged(job.id, .sending, checkpoint, durable: durable))
    }

    /// `body` goes on where the file ends.
    func append(_ piece: DownloadPiece, _ body: DownloadBody, on lane: isolated Lane) {
        guard let file else {
            preconditionFailure("a part is only asked for where there is a file to append it to")
        }
        progress.setLimit(piece.total.map(ByteCount.init(rawValue:)))
        if lane.checkpoint.validator != piece.validator {
            var checkpoint = lane.checkpoint
            checkpoint.validator = piece.validator
            lane.record(.sending, checkpoint)
        }
        body.store(in: file)
    }

    /// Waits until the file holds the whole body.
    func settle(_ body: DownloadBody, on lane: isolated Lane) async throws {
        let result: Result<Void, Failure> = try await lane.wait { body.finish($0) }
        try result.get()
    }
}
