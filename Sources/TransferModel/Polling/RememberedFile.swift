/// What a route that fetches knows of one name in its directory.
public struct RememberedFile: Hashable, Sendable {
    public enum State: Hashable, Sendable {
        /// It has looked like this since then, and is not to be fetched before it has for an interval.
        case seen(since: Timestamp)
        /// A job fetches this version or has fetched it.
        case taken
        /// No file here can have its name, which has been said.
        case refused
    }

    public let name: [UInt8]
    public var version: FileVersion
    public var state: State
    /// When it was first missing in the list; nil: it was in the last one.
    public var missingSince: Timestamp?

    public init(name: [UInt8], version: FileVersion, state: State, missingSince: Timestamp? = nil) {
        self.name = name
        self.version = version
        self.state = state
        self.missingSince = missingSince
    }
}

/// What a poll adds to the memory of a route; recorded together with the jobs that it makes.
public struct PollRecord: Hashable, Sendable {
    public let route: String
    /// What was remembered of any other directory of the route goes.
    public let directory: TransferURL
    /// New ones and those that changed.
    public var remembered: [RememberedFile]
    public var forgotten: [[UInt8]]

    public init(
        route: String, directory: TransferURL, remembered: [RememberedFile] = [], forgotten: [[UInt8]] = []
    ) {
        self.route = route
        self.directory = directory
        self.remembered = remembered
        self.forgotten = forgotten
    }

    public var isEmpty: Bool { remembered.isEmpty && forgotten.isEmpty }
}
