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

    /// `fd` must be open for reading only.
    static func probe(_ fd: Int32) -> ReadLease {
        if transferd_set_lease(fd, F_RDLCK) == 0 {
            _ = transferd_set_lease(fd, F_UNLCK)
            return .noWriter
        }
        return errno == EAGAIN ? .writer : .unknown
    }
}
