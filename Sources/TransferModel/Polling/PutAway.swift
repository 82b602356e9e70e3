/// What becomes of a file at its server when it has been fetched.
public struct PutAway: Hashable, Codable, Sendable {
    /// The version that was fetched: any other stays where it is.
    public var version: FileVersion
    /// The directory that it is moved to, beside its own or absolute; nil: it is removed.
    public var moveTo: NameTemplate?

    public init(version: FileVersion, moveTo: NameTemplate?) {
        self.version = version
        self.moveTo = moveTo
    }
}
