internal import TransferModel

/// Tells which files the daemon reads where they lie: regular files below a directory of `source_dirs`.
struct SourcePlaces: Sendable {
    /// The directories as configured, each with its resolved path.
    private let directories: [(configured: FilePath, resolved: FilePath)]
    /// The directory that was asked about last, with its resolved path: many files are named that lie in one.
    private var last: (directory: FilePath, resolved: FilePath)?

    init(_ directories: [FilePath]) {
        self.directories = directories.compactMap { directory in
            RealPath.of(directory).map { (directory, $0) }
        }
    }

    /// nil for a file that must be copied.
    mutating func inPlace(_ path: FilePath, name: FileName) -> SourceFile? {
        guard !directories.isEmpty, let real = real(path) else { return nil }
        for (configured, resolved) in directories {
            if let relative = real.relative(to: resolved) {
                return SourceFile(root: .inPlace(configured), path: relative, name: name)
            }
        }
        return nil
    }

    private mutating func real(_ path: FilePath) -> FilePath? {
        guard let directory = path.directory, let name = path.lastComponent, !RealPath.isLink(path) else {
            return RealPath.of(path)
        }
        if let last, last.directory == directory { return last.resolved.appending(name) }
        guard let resolved = RealPath.of(directory) else { return nil }
        last = (directory, resolved)
        return resolved.appending(name)
    }
}
