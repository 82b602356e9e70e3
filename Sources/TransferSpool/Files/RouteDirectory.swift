import CLinux
import Glibc
import TransferModel

/// The directory of one route with the three that belong to transferd in it, all held open.
struct RouteDirectory {
    let name: FileName
    let dropped: OpenDirectory
    let claimed: OpenDirectory
    let sent: OpenDirectory
    let failed: OpenDirectory
    /// What tells whether the path still names this directory.
    let status: FileStatus
    let fileSystem: FileSystem

    static let claimedName: StaticString = ".claimed"
    static let sentName: StaticString = "sent"
    static let failedName: StaticString = "failed"

    /// Opens the route's directory in `spool`; makes what is missing inside, and the directory itself when `making`.
    ///
    /// Everyone who may write there may drop files; nobody may remove another's, or the three directories (sticky).
    init(_ name: FileName, in spool: OpenDirectory, making: Bool) throws(SpoolError) {
        if making { _ = try spool.make(FilePath(name), mode: 0o3770) }
        let dropped = try spool.directory(FilePath(name))
        guard let status = dropped.status else {
            throw SpoolError.last("cannot look at the directory", dropped.path)
        }
        self.name = name
        self.dropped = dropped
        self.status = status
        claimed = try Self.own(Self.claimedName, 0o700, in: dropped)
        sent = try Self.own(Self.sentName, 0o750, in: dropped)
        failed = try Self.own(Self.failedName, 0o700, in: dropped)
        fileSystem = FileSystem(of: dropped)
    }

    /// The same directory, with those of the three made and opened anew that were deleted or moved away.
    init(renewing held: RouteDirectory) throws(SpoolError) {
        name = held.name
        dropped = held.dropped
        status = held.status
        fileSystem = held.fileSystem
        claimed = try Self.own(Self.claimedName, 0o700, in: dropped)
        sent = try Self.own(Self.sentName, 0o750, in: dropped)
        failed = try Self.own(Self.failedName, 0o700, in: dropped)
    }

    /// Whether the three still stand where they were opened.
    var isWhole: Bool {
        [claimed, sent, failed].allSatisfy { held in
            guard let name = held.path.lastComponent, let status = held.status,
                let named = try? dropped.status(FilePath(name))
            else { return false }
            return named.isSame(as: status)
        }
    }

    /// A directory that somebody else made there first could be opened to others, so it is refused.
    private static func own(_ text: StaticString, _ mode: UInt32, in directory: OpenDirectory)
        throws(SpoolError) -> OpenDirectory
    {
        let name = FilePath(bytes: text.withUTF8Buffer(Array.init)) ?? directory.path
        _ = try directory.make(name, mode: mode)
        let opened = try directory.directory(name)
        guard let status = opened.status, status.owner == geteuid() else {
            throw SpoolError(
                code: EPERM,
                text:
                    "the directory \(opened.path) belongs to another user; delete it, or give it to uid \(geteuid())"
            )
        }
        return opened
    }

    /// Whether `name` is one of the three.
    static func isReserved(_ name: FileName) -> Bool {
        [claimedName, sentName, failedName].contains { reserved in
            reserved.withUTF8Buffer { name.bytes.elementsEqual($0) }
        }
    }
}
