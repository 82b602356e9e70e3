internal import CLinux

/// The environment that this process was started with.
public enum ProcessEnvironment {
    /// A copy, taken now; of a name that stands twice the first counts, as with getenv(3). Neither program ever
    /// changes its environment.
    public static var current: [String: String] {
        var variables: [String: String] = [:]
        guard var entry = transferd_environment() else { return variables }
        while let text = entry.pointee {
            let parts = String(cString: text).split(
                separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            if parts.count == 2, variables[String(parts[0])] == nil {
                variables[String(parts[0])] = String(parts[1])
            }
            entry += 1
        }
        return variables
    }
}
