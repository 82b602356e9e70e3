public import TransferModel

/// Where things stand by a configuration that may have mistakes.
public struct ConfiguredPlaces: Hashable, Sendable {
    public let places: Places
    /// Everything that is wrong; nil: nothing is.
    public let problems: ConfigurationProblems?
}
