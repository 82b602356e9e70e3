internal import CLinux
internal import Glibc
internal import TransferModel

/// Paths with their symbolic links resolved.
enum RealPath {
    /// As realpath(3) says; nil when something of it does not exist or cannot be looked at.
    static func of(_ path: FilePath) -> FilePath? {
        path.withCString { name in
            guard let resolved = realpath(name, nil) else { return nil }
            defer { free(resolved) }
            return FilePath(bytes: CString.bytes(resolved))
        }
    }

    /// The part of `path` that exists resolved, the rest of it by its text; relative paths start at `directory`.
    static func ofPlanned(_ path: FilePath, from directory: FilePath) -> FilePath {
        var existing = (path.isAbsolute ? path : directory.appending(path)).normalized
        var missing: [FileName] = []
        while of(existing) == nil, let name = existing.lastComponent, let parent = existing.directory {
            missing.append(name)
            existing = parent
        }
        return missing.reversed().reduce(of(existing) ?? existing) { $0.appending($1) }
    }

    /// Whether the last component is a symbolic link; true, too, when that cannot be told.
    static func isLink(_ path: FilePath) -> Bool {
        var status = stat()
        guard path.withCString({ lstat($0, &status) }) == 0 else { return true }
        return status.st_mode & Glibc.S_IFMT == Glibc.S_IFLNK
    }

    static func isDirectory(_ path: FilePath) -> Bool {
        var status = stat()
        return path.withCString { stat($0, &status) } == 0 && status.st_mode & Glibc.S_IFMT == Glibc.S_IFDIR
    }

    /// The directory that the caller works in.
    static func workingDirectory() throws(CommandError) -> FilePath {
        guard let name = getcwd(nil, 0) else {
            throw SystemCall.failure("cannot tell the current directory")
        }
        defer { free(name) }
        guard let path = FilePath(bytes: CString.bytes(name)) else {
            throw .usage("the current directory has no name")
        }
        return path
    }
}
