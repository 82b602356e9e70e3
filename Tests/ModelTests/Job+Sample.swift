import TransferModel

extension Job {
    /// A remote job that runs.
    static func remote(isQueued: Bool) -> Job {
        guard let url = try? TransferURL("ftp://host/name") else {
            preconditionFailure("the sample's address is valid")
        }
        let new = NewJob(
            url: url, description: .remote(RemoteDescription(.list, isQueued: isQueued)),
            idempotencyKey: "key", expiresAt: Timestamp(rawValue: 1_000_000_000),
            createdAt: Timestamp(rawValue: 0))
        return Job(
            id: JobID(rawValue: 1), new: new, state: .running(since: Timestamp(rawValue: 1)))
    }

    /// A job as the table would give it out, for tests of what is decided about it.
    static func sample(id: Int64 = 1, url: String = "ftp://host/name", attempts: Int = 0, highWater: Int = 0)
        -> Job
    {
        guard let url = try? TransferURL(url), let path = FilePath("x"), let name = FileName("x") else {
            preconditionFailure("the sample's address is valid")
        }
        let source = SourceFile(root: .spool, path: path, name: name)
        let new = NewJob(
            url: url, description: .upload(UploadDescription(source: source)), idempotencyKey: "key\(id)",
            expiresAt: Timestamp(rawValue: 1_000_000_000), createdAt: Timestamp(rawValue: 0))
        return Job(
            id: JobID(rawValue: id), new: new, state: .running(since: Timestamp(rawValue: 1)),
            highWater: ByteCount(highWater), attempts: attempts)
    }
}
