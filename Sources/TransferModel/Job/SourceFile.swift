/// A file that a job reads: a root directory that the configuration allows, and a path below it.
///
/// Opened with openat2(RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS), so that it cannot leave its root.
public struct SourceFile: Hashable, Codable, Sendable {
    public enum Root: Hashable, Codable, Sendable {
        /// The spool directory; the file was dropped and belongs to its job, to delete or archive.
        case spool
        /// The intake directory; a copy that belongs to its job and goes when the job ends.
        case intake
        /// A directory of `source_dirs`; the file is read in place and never touched.
        case inPlace(FilePath)
    }

    public let root: Root
    /// Relative to the root.
    public let path: FilePath
    /// The name that the person knows the file by; the stored name may differ.
    public let name: FileName

    public init(root: Root, path: FilePath, name: FileName) {
        self.root = root
        self.path = path
        self.name = name
    }
}

/// What tells whether a source is still the same file with the same content: fstat(2) at the first attempt.
public struct FileIdentity: Hashable, Codable, Sendable {
    public let device: UInt64
    public let inode: UInt64
    public let size: ByteCount
    /// Nanoseconds since 1970.
    public let modified: Int64

    public init(device: UInt64, inode: UInt64, size: ByteCount, modified: Int64) {
        self.device = device
        self.inode = inode
        self.size = size
        self.modified = modified
    }
}
