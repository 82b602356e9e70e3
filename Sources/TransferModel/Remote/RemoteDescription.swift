/// One thing to be looked at or changed at a file server, for a person or a script; the job's `url` says where.
///
/// What the server answered lies in the result file of the job: ``Places/results``.
public struct RemoteDescription: Hashable, Codable, Sendable {
    public var operation: RemoteOperation
    /// Whether it waits like any job, with tries again and again. If not, somebody sits and waits for the answer, and
    /// the first failure is the end.
    public var isQueued: Bool

    public init(_ operation: RemoteOperation, isQueued: Bool = false) {
        self.operation = operation
        self.isQueued = isQueued
    }
}

/// What is to be done at the job's `url`.
public enum RemoteOperation: Hashable, Codable, Sendable {
    /// What the directory holds; what stands there, if it is none.
    case list
    /// Removes a file.
    case remove
    /// Removes the temporary file of an upload that has ended, at this path of the server; that there is none is as good.
    /// Asked for by the daemon alone.
    case removeRemains(FilePath)
    /// Gives a file or directory another path: relative to the directory that holds it, or from the server's root.
    /// Refused where something stands at the new path.
    case rename(to: FilePath)
    /// Makes a directory; `withParents`: the missing ones above it too, and one that is there is as good.
    case makeDirectory(withParents: Bool)
    /// Removes an empty directory.
    case removeDirectory
    /// Brings the content of a file.
    case get
    /// Sends commands of the server's own, one after the other, until one is refused.
    case quote([RemoteCommand])
    /// Tells the daemon, which alone asks for it, what files the directory of a route holds.
    case poll
    /// Removes or moves a file that has been fetched, if it is still the same; that it is gone is as good. Asked for by
    /// the daemon alone.
    case putAway(PutAway)
    /// Logs in and tells what the server is and can; `writes`: tried with a small file that is removed again.
    case check(writes: Bool)

    /// As `transferctl remote` calls it.
    public var name: Name {
        switch self {
        case .list: .list
        case .remove, .removeRemains: .remove
        case .rename: .rename
        case .makeDirectory: .makeDirectory
        case .removeDirectory: .removeDirectory
        case .get: .get
        case .quote: .quote
        case .check: .check
        case .poll: .poll
        case .putAway: .putAway
        }
    }

    /// Whether there is something to read when it is done.
    public var bringsResult: Bool {
        switch self {
        case .list, .get, .quote, .check: true
        case .remove, .removeRemains, .rename, .makeDirectory, .removeDirectory, .poll, .putAway: false
        }
    }

    public enum Name: String, CaseIterable, Codable, Sendable {
        case list = "ls"
        case remove = "rm"
        case rename = "mv"
        case makeDirectory = "mkdir"
        case removeDirectory = "rmdir"
        case get, quote, check
        /// Those of the daemon alone.
        case poll
        case putAway = "put away"
    }
}

/// A command for a server, as bytes of one line: not empty, without control bytes, at most 4,096 bytes.
public struct RemoteCommand: Hashable, Sendable, CustomStringConvertible {
    public let bytes: [UInt8]

    /// nil for what no server should be sent as one command.
    public init?(bytes: [UInt8]) {
        guard (1...4_096).contains(bytes.count), !bytes.contains(where: EscapedText.isControl) else {
            return nil
        }
        self.bytes = bytes
    }

    public var description: String { EscapedText.escape(bytes) }
}

extension RemoteCommand: Codable {
    public init(from decoder: any Decoder) throws {
        let text = try decoder.singleValueContainer().decode(String.self)
        guard let bytes = EscapedText.unescape(text), let command = RemoteCommand(bytes: bytes) else {
            throw DecodingError.dataCorrupted(
                .init(codingPath: decoder.codingPath, debugDescription: "not a command: \(text)"))
        }
        self = command
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }
}
