internal import TransferModel

/// Tells which files the daemon reads where they lie: regular files below a directory of `source_dirs`.
struct SourcePlaces: Sendable {
    /// The directories as configured, each with its resolved path.
    private let directories: [(configured: FilePath, resolved: FilePath)]

    init(_ directories: [FilePath]) {
        self.directories = directories.compactMap { directory in
            RealPath.of(directory).map { (directory, $0) }
        }
    }

    /// nil for a file that must be copied.
    func inPlace(_ path: FilePath, name: FileName) -> SourceFile? {
        guard !directories.isEmpty, let real = RealPath.of(path) else { return nil }
        for (configured, resolved) in directories {
            if let relative = real.relative(to: resolved) {
                return SourceFile(root: .inPlace(configured), path: relative, name: name)
            }
        }
        return nil
    }
}
