import CLinux
import Glibc
import TransferModel

/// The file beside a failed one: a sentence that says why it failed, then the job and the time.
enum ReasonFile {
    /// Writes it durably; false when the name is taken.
    static func write(_ reason: FailedReason, to name: FileName, in directory: OpenDirectory)
        throws(SpoolError) -> Bool
    {
        let flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC
        let path = FilePath(name)
        let fd = path.withCString { transferd_openat(directory.fd, $0, flags, 0o640) }
        guard fd >= 0 else {
            if errno == EEXIST { return false }
            throw directory.failed("cannot write", path)
        }
        defer { close(fd) }
        let content = text(reason)
        guard Glibc.write(fd, content, content.count) == content.count, fdatasync(fd) == 0 else {
            let error = directory.failed("cannot write", path)
            _ = try directory.remove(path)
            throw error
        }
        return true
    }

    /// Whether the file `name` is the reason of this job.
    static func isOf(_ job: JobID?, _ name: FileName, in directory: OpenDirectory) -> Bool {
        guard let job else { return false }
        let flags = O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC
        let fd = FilePath(name).withCString { transferd_openat(directory.fd, $0, flags, 0) }
        guard fd >= 0 else { return false }
        defer { close(fd) }
        var buffer = [UInt8](repeating: 0, count: 4096)
        let count = max(0, read(fd, &buffer, buffer.count))
        let lines = buffer[..<count].split(separator: UInt8(ascii: "\n"))
        return lines.contains { ($0 + [0x20]).starts(with: "job=\(job) ".utf8) }
    }

    /// At most 2 KiB, so that one read tells whose it is; control bytes become blanks.
    private static func text(_ reason: FailedReason) -> [UInt8] {
        let sentence = reason.text.utf8.prefix(2048).map { EscapedText.isControl($0) ? 0x20 : $0 }
        let tags = [reason.job.map { "job=\($0)" }, reason.time.map { "time=\(time($0))" }].compactMap(\.self)
        let tail = tags.isEmpty ? "\n" : "\n\(tags.joined(separator: " "))\n"
        return sentence + Array(tail.utf8)
    }

    private static func time(_ time: Timestamp) -> String {
        var seconds = time_t(time.rawValue / 1000)
        var parts = tm()
        gmtime_r(&seconds, &parts)
        var buffer = [CChar](repeating: 0, count: 32)
        let count = strftime(&buffer, buffer.count, "%Y-%m-%dT%H:%M:%SZ", &parts)
        return String(decoding: buffer[..<count].map(UInt8.init(bitPattern:)), as: UTF8.self)
    }
}
