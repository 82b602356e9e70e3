import CLinux
import Glibc

/// What fstatat(2) tells of one name, without following a symbolic link.
struct FileStatus: Hashable {
    enum Kind: String {
        case regular = "a regular file"
        case directory = "a directory"
        case symbolicLink = "a symbolic link"
        case fifo = "a FIFO"
        case socket = "a socket"
        case device = "a device"
        case other = "no file"
    }

    let kind: Kind
    let device: UInt64
    let look: Look
    let links: UInt64
    let owner: UInt32
    let mode: UInt32

    var size: Int64 { look.size }

    /// Whether both are the same object, whatever it looks like.
    func isSame(as other: FileStatus) -> Bool { device == other.device && look.inode == other.look.inode }

    init(_ status: stat) {
        kind = Self.kind(of: status.st_mode)
        device = UInt64(status.st_dev)
        look = Look(
            inode: UInt64(status.st_ino), size: Int64(status.st_size),
            modified: Self.nanoseconds(status.st_mtim), changed: Self.nanoseconds(status.st_ctim))
        links = UInt64(status.st_nlink)
        owner = status.st_uid
        mode = status.st_mode & 0o7777
    }

    private static func nanoseconds(_ time: timespec) -> Int64 {
        Int64(time.tv_sec) &* 1_000_000_000 &+ Int64(time.tv_nsec)
    }

    private static func kind(of mode: UInt32) -> Kind {
        switch mode_t(mode) & S_IFMT {
        case S_IFREG: .regular
        case S_IFDIR: .directory
        case S_IFLNK: .symbolicLink
        case S_IFIFO: .fifo
        case S_IFSOCK: .socket
        case S_IFCHR, S_IFBLK: .device
        default: .other
        }
    }
}
