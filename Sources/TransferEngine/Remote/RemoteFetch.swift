internal import TransferModel

/// Leads the content of a file into the job's result, of any size, through fixed buffers.
struct RemoteFetch {
    let assignment: Assignment
    let server: any FileServer
    let disk: DiskQueue

    /// Returns how long the file is, and its digest; all of it is on the disk.
    func run(_ path: RemotePath, on lane: isolated Lane) async throws -> (size: Int64, digest: String?) {
        let (id, places, progress) = (assignment.job.id, assignment.places, assignment.progress)
        let file = try await lane.onDisk(disk) { () throws(Failure) in
            guard let name = FileName("\(id)") else { preconditionFailure("a number is the name of a file") }
            return try DownloadFile(
                fresh: RemoteResults.create(id, in: places), name: name, total: nil, digests: [.sha256],
                progress: progress)
        }
        progress.begin(at: .zero, limit: nil)
        file.mayCount()
        let body = DownloadBody(on: disk, wake: { lane.resume() })
        let segment = file.takeWhole()
        body.store(in: segment)
        do {
            try await server.fetch(path, into: body, on: lane)
            let result: Result<Void, Failure> = try await lane.wait { body.finish($0) }
            try result.get()
            segment.endFile()
        } catch {
            await body.stop()
            throw error
        }
        return try await lane.onDisk(disk) { () throws(Failure) in
            let whole = try file.finish()
            return (whole.size, whole.digests[.sha256])
        }
    }
}
