/// The number of a job: its row in the job table. Printed by `transferctl enqueue`, never used again for another job.
public struct JobID: RawRepresentable, Hashable, Comparable, Codable, Sendable, CustomStringConvertible {
    public let rawValue: Int64

    public init(rawValue: Int64) { self.rawValue = rawValue }

    public static func < (left: JobID, right: JobID) -> Bool { left.rawValue < right.rawValue }

    public var description: String { String(rawValue) }
}

/// The number of a lane within one run of the daemon.
public struct LaneID: RawRepresentable, Hashable, Comparable, Sendable {
    public let rawValue: Int

    public init(rawValue: Int) { self.rawValue = rawValue }

    public static func < (left: LaneID, right: LaneID) -> Bool { left.rawValue < right.rawValue }
}

/// A size or position in a file, in bytes; never negative in a valid value.
public struct ByteCount: RawRepresentable, Hashable, Comparable, Codable, Sendable, CustomStringConvertible {
    public let rawValue: Int64

    public init(rawValue: Int64) { self.rawValue = rawValue }
    public init(_ value: Int) { rawValue = Int64(value) }

    public static let zero = ByteCount(rawValue: 0)
    public static func < (left: ByteCount, right: ByteCount) -> Bool { left.rawValue < right.rawValue }
    public static func + (left: ByteCount, right: ByteCount) -> ByteCount {
        ByteCount(rawValue: left.rawValue + right.rawValue)
    }
    public static func - (left: ByteCount, right: ByteCount) -> ByteCount {
        ByteCount(rawValue: left.rawValue - right.rawValue)
    }

    public var description: String { String(rawValue) }
}
