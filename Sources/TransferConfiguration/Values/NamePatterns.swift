import Glibc
import TransferModel

/// Shell patterns for names of files, as the configuration and command lines have them. Source: fnmatch(3), without flags:
/// `*` matches a leading dot too.
public struct NamePatterns: Sendable {
    private let patterns: [FilePath]

    public init(_ patterns: [String]) { self.patterns = patterns.compactMap { FilePath($0) } }

    public var isEmpty: Bool { patterns.isEmpty }

    /// Whether one of them matches; bytes with a NUL are no name.
    public func matches(_ name: [UInt8]) -> Bool {
        guard let name = FilePath(bytes: name) else { return false }
        return name.withCString { text in
            patterns.contains { pattern in pattern.withCString { fnmatch($0, text, 0) == 0 } }
        }
    }
}
