/// What the program's exit status says to a script.
public enum ExitStatus: Int32, Comparable, Sendable {
    case success = 0
    /// A job failed, was cancelled or expired; a request was refused.
    case notArrived = 1
    /// The command line, the configuration or a job's number is wrong; trying again would end the same way.
    case usage = 2
    /// Would work later: the table is locked, the time is up, a job is held, a disk is full.
    case later = 5

    public static func < (left: ExitStatus, right: ExitStatus) -> Bool { left.rawValue < right.rawValue }
}
