internal import CLinux
internal import Glibc
internal import TransferModel

/// An open descriptor, closed with the last reference to it.
final class OpenFile: Sendable {
    let descriptor: Int32
    let path: FilePath

    init(descriptor: Int32, path: FilePath) {
        self.descriptor = descriptor
        self.path = path
    }

    deinit { close(descriptor) }

    /// The file as fstat(2) sees it now.
    func identity() throws(SystemError) -> FileIdentity {
        let status = try status()
        return FileIdentity(status)
    }

    func status() throws(SystemError) -> stat {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw SystemError("fstat", path) }
        return status
    }

    /// Throws when the file is not what it was.
    func requireUnchanged(since identity: FileIdentity) throws(Failure) {
        let now: FileIdentity
        do throws(SystemError) {
            now = try self.identity()
        } catch {
            throw error.failure
        }
        guard now == identity else { throw changed }
    }

    /// Throws when the file is not what it was, or another one stands at its path. One that was taken away is as good as
    /// before: nothing newer is to be sent.
    func requireStanding(as identity: FileIdentity) throws(Failure) {
        var status = stat()
        if path.withCString({ lstat($0, &status) }) == 0, FileIdentity(status) != identity { throw changed }
        try requireUnchanged(since: identity)
    }

    var changed: Failure {
        Failure(.temporary, text: "\(path) changed while it was sent; it is sent again from the start")
    }

    /// The bytes of a range, fewer where the file ends before; blocks.
    func read(_ range: Range<Int64>) throws(Failure) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: range.count)
        var count = 0
        while count < bytes.count {
            let got = bytes.withUnsafeMutableBytes { space in
                pread(
                    descriptor, space.baseAddress?.advanced(by: count), space.count - count,
                    off_t(range.lowerBound + Int64(count)))
            }
            if got < 0, errno == EINTR { continue }
            guard got >= 0 else { throw SystemError("read", path).failure }
            guard got > 0 else { break }
            count += got
        }
        return Array(bytes[..<count])
    }
}

extension FileIdentity {
    init(_ status: stat) {
        self.init(
            device: UInt64(status.st_dev), inode: UInt64(status.st_ino), size: ByteCount(Int(status.st_size)),
            modified: Int64(status.st_mtim.tv_sec) * 1_000_000_000 + Int64(status.st_mtim.tv_nsec))
    }
}
