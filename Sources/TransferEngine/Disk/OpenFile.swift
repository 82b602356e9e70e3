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
        return FileIdentity(
            device: UInt64(status.st_dev), inode: UInt64(status.st_ino), size: ByteCount(Int(status.st_size)),
            modified: Int64(status.st_mtim.tv_sec) * 1_000_000_000 + Int64(status.st_mtim.tv_nsec))
    }

    func status() throws(SystemError) -> stat {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw SystemError("fstat", path) }
        return status
    }
}
