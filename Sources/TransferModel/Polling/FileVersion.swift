/// What a list says of one version of a file; two that differ in it are two files.
public struct FileVersion: Hashable, Codable, Sendable {
    /// nil where the server does not say.
    public var size: Int64?
    /// As exactly as the server says.
    public var modified: Timestamp?

    public init(size: Int64?, modified: Timestamp?) {
        self.size = size
        self.modified = modified
    }

    /// Whether a list that says this now may mean the version that it said `earlier`.
    ///
    /// Lists in the form of `ls -l` leave the time of day out after half a year.
    public func isSame(as earlier: FileVersion, now: Timestamp) -> Bool {
        guard size == earlier.size else { return false }
        guard modified != earlier.modified else { return true }
        guard let modified, let before = earlier.modified, now.since(before) > Self.timeOfLists else {
            return false
        }
        return modified.rawValue == before.rawValue - before.rawValue % 86_400_000
    }

    /// How long lists tell the time of day, at least.
    private static let timeOfLists: Duration = .seconds(150 * 86_400)
}

/// A file in a directory of a server.
public struct ListedFile: Hashable, Sendable {
    /// As it stood in the list, which may be no name of a file here.
    public let name: [UInt8]
    public let version: FileVersion

    public init(name: [UInt8], version: FileVersion) {
        self.name = name
        self.version = version
    }
}
