public import TransferModel

/// A file that is whole and was moved out of its writers' reach, to become a job.
public struct ClaimedFile: Hashable, Sendable {
    /// The name of the route it was dropped into.
    public let route: String
    /// Below the spool, as `ROUTE/.claimed/BATCH/NAME`; its name is the one it was dropped under.
    public let source: SourceFile
    public let size: ByteCount

    public init(route: String, source: SourceFile, size: ByteCount) {
        self.route = route
        self.source = source
        self.size = size
    }
}
