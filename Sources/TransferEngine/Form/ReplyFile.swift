internal import TransferModel

/// The file that the whole answer to a form goes into: written beside its place, durable, then renamed.
///
/// An answer that cannot be written is no reason to send a form again: what went wrong is told, and the job is done.
/// Lives on the lane's queue.
final class ReplyFile {
    private let directory: DownloadDirectory
    private let disk: DiskQueue
    private let temporary: FileName
    private var segment: DownloadSegment?
    private var body: DownloadBody?
    private var hasPlace = false

    private init(_ directory: DownloadDirectory, _ disk: DiskQueue, job: JobID) {
        self.directory = directory
        self.disk = disk
        temporary = directory.temporaryName(job)
    }

    /// nil where no file is wished. Throws before anything is sent when there can be none.
    static func prepare(
        _ assignment: Assignment, _ disk: DiskQueue, on lane: isolated Lane
    ) async throws -> ReplyFile? {
        guard let template = assignment.request.replyFile else { return nil }
        let places = assignment.places
        let place = try ReplyPlace(template, for: assignment.job, in: places)
        let directory = try await lane.onDisk(disk) { () throws(Failure) in try place.open(in: places) }
        return ReplyFile(directory, disk, job: assignment.job.id)
    }

    /// Where the next answer's body goes: into an empty file.
    func begin(on lane: isolated Lane) async throws -> DownloadBody {
        let directory = directory
        let temporary = temporary
        let file = try await lane.onDisk(disk) { () throws(Failure) in
            try DownloadFile(
                fresh: try directory.create(temporary), name: temporary, total: nil, digests: [],
                progress: Progress())
        }
        let body = DownloadBody(on: disk, wake: { lane.resume() })
        let segment = file.takeWhole()
        body.store(in: segment)
        self.segment = segment
        self.body = body
        return body
    }

    /// The answer has ended: the file is durable under its name on return. Why it is not, else.
    func put() async -> Failure? {
        guard let body, let segment else { return nil }
        let written = await withCheckedContinuation { continuation in
            body.finish { continuation.resume(returning: $0) }
        }
        let directory = directory
        let temporary = temporary
        do throws(Failure) {
            try written.get()
            try await disk.value { () throws(Failure) in
                segment.endFile()
                _ = try segment.file.finish()
                try directory.rename(temporary)
            }
        } catch {
            await discard()
            return error
        }
        self.body = nil
        return nil
    }

    /// What was written of an answer that is none is removed.
    func discard() async {
        guard let body else { return }
        self.body = nil
        await body.stop()
        let directory = directory
        let temporary = temporary
        try? await disk.value { () throws(Failure) in directory.remove(temporary) }
    }
}
