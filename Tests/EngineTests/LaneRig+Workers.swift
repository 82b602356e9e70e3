import Glibc
import TestServers
import TransferModel

extension LaneRig {
    /// A form to `url`.
    func form(
        _ url: String, _ parts: [FormPart], headers: [HeaderField] = [], id: Int64 = 1,
        stage: Stage = .sending, request: RequestWishes? = nil
    ) throws -> Job {
        try job(
            url, .form(FormDescription(parts: parts, headers: headers, request: request)), id: id,
            stage: stage, offset: .zero,
            checkpoint: Checkpoint())
    }

    /// A file `random` in the spool, which nothing compresses or repeats.
    func randomSource(megabytes: Int) throws -> SourceFile {
        guard let from = fopen("/dev/urandom", "r"), let to = fopen(directory.appending("spool/random"), "w"),
            let name = FileName("random")
        else { throw TestServerError("random bytes") }
        var block = [UInt8](repeating: 0, count: 1_000_000)
        for _ in 0..<megabytes {
            fread(&block, 1, block.count, from)
            fwrite(block, 1, block.count, to)
        }
        fclose(from)
        fclose(to)
        return SourceFile(root: .spool, path: FilePath(name), name: name)
    }

    /// A download of `url` to `target` below the downloads directory.
    func download(
        _ url: String, to target: String = "target", checksum: Checksum? = nil, offset: ByteCount = .zero,
        stage: Stage = .sending, checkpoint: Checkpoint = Checkpoint(),
        _ change: (inout DownloadDescription) throws -> Void = { _ in }
    ) throws -> Job {
        guard let path = FilePath(target) else { throw TestServerError("a path") }
        var description = DownloadDescription(
            directory: places.downloads, target: path, checksums: [checksum].compactMap(\.self))
        try change(&description)
        return try job(
            url, .download(description), id: 7, stage: stage, offset: offset, checkpoint: checkpoint)
    }

    private func job(
        _ url: String, _ description: JobDescription, id: Int64, stage: Stage, offset: ByteCount,
        checkpoint: Checkpoint
    ) throws -> Job {
        let new = NewJob(
            url: try TransferURL(url), description: description, idempotencyKey: "k3y-\(id)",
            expiresAt: Timestamp(rawValue: .max), createdAt: Timestamp(rawValue: 0))
        return Job(
            id: JobID(rawValue: id), new: new, state: .running(since: Timestamp(rawValue: 0)), offset: offset,
            stage: stage, checkpoint: checkpoint)
    }

    /// The path of a name below the downloads directory.
    func downloaded(_ name: String = "target") -> String { directory.appending("downloads/\(name)") }

    /// The names in the downloads directory, sorted.
    func downloads() throws -> [String] {
        try TestFile.names(in: directory.appending("downloads")).map { String(decoding: $0, as: UTF8.self) }
            .sorted()
    }
}

extension Ended {
    var arrival: Outcome.Arrival? {
        if case .arrived(let arrival) = outcome { arrival } else { nil }
    }
}
