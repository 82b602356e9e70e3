import CLinux
import Glibc
import TransferModel

/// The files that `transferctl` handed over, each in a directory of its own below `intake`.
///
/// They go with their job: at once after success or cancel; after failure they stay for a while, so that `retry` finds
/// them.
struct Intake {
    let places: Places

    private static let marker = FilePath("ended")

    /// Deletes the source's directory, or leaves a mark in it that says when its job ended and which one it was.
    func dispose(of source: SourceFile, job: Job) throws(SystemError) {
        guard let token = source.path.components.first.flatMap(FileName.init(bytes:)) else { return }
        let directory = places.intake.appending(token)
        switch job.state {
        case .done, .cancelled: try Self.remove(directory)
        case .failed, .expired: try mark(directory, job.id)
        case .queued, .running, .held: preconditionFailure("only a job at its end is disposed of")
        }
    }

    /// Deletes what failed jobs left more than `age` ago, unless `isNeeded` says that the job was taken up again.
    func sweep(olderThan age: Duration, now: Timestamp, isNeeded: (JobID) -> Bool) {
        for name in Directory.names(in: places.intake) {
            let directory = places.intake.appending(name)
            guard let ended = Self.ended(directory), now.since(ended.time) > age, !isNeeded(ended.job) else {
                continue
            }
            try? Self.remove(directory)
        }
    }

    private func mark(_ directory: FilePath, _ id: JobID) throws(SystemError) {
        guard let path = Self.marker.map(directory.appending) else { return }
        let fd = path.withCString { transferd_open($0, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0o660) }
        guard fd >= 0 else {
            if errno == ENOENT { return }
            throw SystemError(call: "open", path: path)
        }
        defer { close(fd) }
        let text = Array(id.description.utf8)
        guard write(fd, text, text.count) == text.count else { throw SystemError(call: "write", path: path) }
    }

    private static func ended(_ directory: FilePath) -> (job: JobID, time: Timestamp)? {
        guard let path = marker.map(directory.appending) else { return nil }
        let fd = path.withCString { transferd_open($0, O_RDONLY | O_CLOEXEC | O_NOFOLLOW, 0) }
        guard fd >= 0 else { return nil }
        defer { close(fd) }
        var status = stat()
        var text = [UInt8](repeating: 0, count: 20)
        let count = read(fd, &text, text.count)
        guard count > 0, fstat(fd, &status) == 0 else { return nil }
        guard let id = Int64(String(decoding: text.prefix(count), as: UTF8.self)) else { return nil }
        return (JobID(rawValue: id), Timestamp(rawValue: Int64(status.st_mtim.tv_sec) * 1000))
    }

    private static func remove(_ directory: FilePath) throws(SystemError) {
        for name in Directory.names(in: directory) {
            let path = directory.appending(name)
            guard path.withCString({ unlink($0) }) == 0 || errno == ENOENT else {
                throw SystemError(call: "unlink", path: path)
            }
        }
        guard directory.withCString({ rmdir($0) }) == 0 || errno == ENOENT else {
            throw SystemError(call: "rmdir", path: directory)
        }
    }
}
