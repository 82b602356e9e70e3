import CLinux
import Glibc

/// What can be relied on in the file system of a directory. Source: statfs(2).
struct FileSystem {
    /// Whether EAGAIN for a read lease means that there is a writer; NFS and SMB say it always.
    let trustsLeases: Bool
    /// Whether one fsync(2) makes every earlier change of names durable, since one journal holds them in order: ext4 and
    /// XFS. Each further fsync of a directory took 2 ms although nothing was left to write.
    let commitsWhole: Bool

    init(of directory: OpenDirectory) {
        var status = statfs()
        let isKnown = fstatfs(directory.fd, &status) == 0
        let kind = Int(status.f_type)
        trustsLeases = isKnown && Self.local.contains(kind)
        commitsWhole = isKnown && Self.journaled.contains(kind)
    }

    /// By number where linux/magic.h has no name for it.
    private static let xfs = 0x5846_5342
    private static let zfs = 0x2fc1_2fc1
    private static let journaled: Set<Int> = [Int(EXT4_SUPER_MAGIC), xfs]
    private static let local = journaled.union([
        Int(BTRFS_SUPER_MAGIC), Int(TMPFS_MAGIC), Int(OVERLAYFS_SUPER_MAGIC), Int(F2FS_SUPER_MAGIC), zfs,
    ])
}
