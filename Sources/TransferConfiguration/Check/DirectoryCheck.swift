import Glibc
import TransferModel

/// What this process may do with a directory.
struct DirectoryCheck {
    enum Need {
        /// Read and search.
        case read
        /// Make, rename and remove entries; a directory that is missing is made.
        case write
    }

    let path: FilePath
    let need: Need

    /// Why the directory can't be used as needed, without the path; nil when it can.
    ///
    /// Tests with the effective user's rights, faccessat(2).
    func objection() -> String? {
        let mode = need == .read ? R_OK | X_OK : R_OK | W_OK | X_OK
        switch Self.status(of: path) {
        case .directory:
            guard Self.access(path, mode) else { return "can't be \(verb): \(Self.reason())" }
            return nil
        case .other: return "is not a directory"
        case .missing:
            return need == .read ? "does not exist" : objectionToMaking()
        case .unreachable(let code): return "can't be reached: \(String(cString: strerror(code)))"
        }
    }

    private var verb: String { need == .read ? "read" : "written to" }

    private func objectionToMaking() -> String? {
        var parent = path.directory
        while let above = parent {
            switch Self.status(of: above) {
            case .directory:
                guard Self.access(above, W_OK | X_OK) else {
                    return "does not exist and can't be made in '\(above)': \(Self.reason())"
                }
                return nil
            case .missing: parent = above.directory
            case .other: return "can't be made: '\(above)' is not a directory"
            case .unreachable(let code): return "can't be reached: \(String(cString: strerror(code)))"
            }
        }
        return "does not exist and can't be made"
    }

    private enum Status {
        case directory, other, missing
        case unreachable(Int32)
    }

    private static func status(of path: FilePath) -> Status {
        var status = stat()
        guard path.withCString({ stat($0, &status) }) == 0 else {
            return errno == ENOENT ? .missing : errno == ENOTDIR ? .other : .unreachable(errno)
        }
        return status.st_mode & S_IFMT == S_IFDIR ? .directory : .other
    }

    private static func access(_ path: FilePath, _ mode: Int32) -> Bool {
        path.withCString { faccessat(AT_FDCWD, $0, mode, AT_EACCESS) } == 0
    }

    /// The words for errno, right after a failed call.
    private static func reason() -> String { String(cString: strerror(errno)) }
}
