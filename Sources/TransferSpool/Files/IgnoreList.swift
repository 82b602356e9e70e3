import CLinux
import Glibc
import TransferModel

/// The shell patterns of names that are left alone. Source: fnmatch(3), without flags: `*` matches a leading dot too.
struct IgnoreList {
    private let patterns: [FilePath]

    init(_ patterns: [String]) { self.patterns = patterns.compactMap { FilePath($0) } }

    func matches(_ name: FileName) -> Bool {
        FilePath(name).withCString { text in
            patterns.contains { pattern in pattern.withCString { fnmatch($0, text, 0) == 0 } }
        }
    }
}
