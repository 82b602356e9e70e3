import CLinux
import Glibc

/// Asks the kernel whether anybody has a file open for writing, by a read lease that is given back at once.
///
/// Source: fcntl(2), F_SETLEASE. Granted for the caller's own files, or with CAP_LEASE. Where it is broken in that
/// moment a SIGIO comes, so SIGIO is ignored in this process.
enum ReadLease {
    case noWriter
    case writer
    /// The file belongs to somebody else, or its file system has no leases.
    case unknown

    static func ignoreSignal() { signal(SIGIO, SIG_IGN) }

    /// Whether the file system of `directory` says EAGAIN only where there is a writer; NFS and SMB say it always.
    static func isTrusted(in directory: OpenDirectory) -> Bool {
        var status = statfs()
        guard fstatfs(directory.fd, &status) == 0 else { return false }
        return local.contains(Int(status.f_type))
    }

    /// `fd` must be open for reading only.
    static func probe(_ fd: Int32) -> ReadLease {
        if transferd_set_lease(fd, F_RDLCK) == 0 {
            _ = transferd_set_lease(fd, F_UNLCK)
            return .noWriter
        }
        return errno == EAGAIN ? .writer : .unknown
    }

    /// XFS and ZFS by number: statfs(2) names them, linux/magic.h does not.
    private static let local: Set<Int> = [
        Int(EXT4_SUPER_MAGIC), Int(BTRFS_SUPER_MAGIC), Int(TMPFS_MAGIC), Int(OVERLAYFS_SUPER_MAGIC),
        Int(F2FS_SUPER_MAGIC), 0x5846_5342, 0x2fc1_2fc1,
    ]
}
