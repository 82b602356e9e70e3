import Glibc
import TransferModel

/// Makes the directories that the daemon needs and that are missing.
enum DirectoryMaker {
    /// Makes `path` as `rwxrws---` and its missing parents as the umask says; false when it can't be, or is none.
    ///
    /// mkdir(2) ignores the set-group-ID bit, and a service whose unit has RestrictSUIDSGID may not set it: there the
    /// directory has it from its parent.
    static func make(_ path: FilePath) -> Bool {
        if mkdir(path, 0o770) {
            _ = path.withCString { chmod($0, 0o2770) }
            return true
        }
        switch errno {
        case EEXIST: return true
        case ENOENT:
            guard let parent = path.directory, makeParent(parent) else { return false }
            return make(path)
        default: return false
        }
    }

    private static func makeParent(_ path: FilePath) -> Bool {
        if mkdir(path, 0o777) || errno == EEXIST { return true }
        guard errno == ENOENT, let parent = path.directory, makeParent(parent) else { return false }
        return mkdir(path, 0o777)
    }

    private static func mkdir(_ path: FilePath, _ mode: mode_t) -> Bool {
        path.withCString { Glibc.mkdir($0, mode) } == 0
    }
}
