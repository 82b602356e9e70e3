import CLinux
import Glibc
import TransferModel

/// A directory held by its descriptor: what is done in it is done in this one, whatever its path names by now.
///
/// Names are relative paths that the program formed; none is followed when it is a symbolic link. Closed with the
/// last reference.
final class OpenDirectory {
    let fd: Int32
    /// For messages: where the directory stood when it was opened.
    let path: FilePath

    init(fd: Int32, path: FilePath) {
        self.fd = fd
        self.path = path
    }

    deinit { close(fd) }

    /// Opens the directory at an absolute path; symbolic links on the way are followed.
    static func open(_ path: FilePath) throws(SpoolError) -> OpenDirectory {
        let fd = path.withCString { transferd_open($0, O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0) }
        guard fd >= 0 else { throw SpoolError.last("cannot open the directory", path) }
        return OpenDirectory(fd: fd, path: path)
    }

    /// Opens the directory `name` in this one, which must be a directory and no link to one.
    func directory(_ name: FilePath) throws(SpoolError) -> OpenDirectory {
        let flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC
        let opened = name.withCString { transferd_openat(fd, $0, flags, 0) }
        guard opened >= 0 else { throw failed("cannot open the directory", name) }
        return OpenDirectory(fd: opened, path: path.appending(name))
    }

    /// Makes the directory `name` with exactly `mode`; false when the name exists.
    func make(_ name: FilePath, mode: UInt32) throws(SpoolError) -> Bool {
        if name.withCString({ mkdirat(fd, $0, mode) }) == 0 {
            _ = name.withCString { fchmodat(fd, $0, mode, 0) }
            return true
        }
        guard errno == EEXIST else { throw failed("cannot make the directory", name) }
        return false
    }

    /// nil when nothing has the name.
    func status(_ name: FilePath) throws(SpoolError) -> FileStatus? {
        var status = stat()
        guard name.withCString({ fstatat(fd, $0, &status, AT_SYMLINK_NOFOLLOW) }) == 0 else {
            if errno == ENOENT || errno == ENOTDIR { return nil }
            throw failed("cannot look at", name)
        }
        return FileStatus(status)
    }

    var status: FileStatus? {
        var status = stat()
        return fstat(fd, &status) == 0 ? FileStatus(status) : nil
    }

    /// Moves `name` to `target` in `directory`; false when that name is taken. Nothing is overwritten.
    func move(_ name: FilePath, to directory: OpenDirectory, as target: FilePath) throws(SpoolError) -> Bool {
        if rename(name, directory, target) == 0 { return true }
        if errno == EEXIST { return false }
        // Some network file systems have no RENAME_NOREPLACE; the target directories are ours alone there too.
        if errno == EINVAL {
            if try directory.status(target) != nil { return false }
            let renamed = name.withCString { from in
                target.withCString { renameat(fd, from, directory.fd, $0) }
            }
            if renamed == 0 { return true }
        }
        throw failed("cannot move", name)
    }

    private func rename(_ name: FilePath, _ directory: OpenDirectory, _ target: FilePath) -> Int32 {
        name.withCString { from in target.withCString { transferd_rename_new(fd, from, directory.fd, $0) } }
    }

    /// Deletes a file; false when there was none.
    @discardableResult
    func remove(_ name: FilePath) throws(SpoolError) -> Bool {
        if name.withCString({ unlinkat(fd, $0, 0) }) == 0 { return true }
        guard errno == ENOENT || errno == ENOTDIR else { throw failed("cannot delete", name) }
        return false
    }

    /// Deletes a directory if it is empty; false when it is not, or not there.
    @discardableResult
    func removeDirectory(_ name: FilePath) -> Bool {
        name.withCString { unlinkat(fd, $0, AT_REMOVEDIR) } == 0
    }

    /// On return what was made, moved and deleted in this directory is durable.
    func synchronize() throws(SpoolError) {
        guard fsync(fd) == 0 else { throw SpoolError.last("cannot make durable the directory", path) }
    }

    func failed(_ what: String, _ name: FilePath) -> SpoolError {
        SpoolError.last(what, path.appending(name))
    }
}

extension SpoolError {
    /// Names errno of the call that just failed.
    static func last(_ what: String, _ path: FilePath) -> SpoolError {
        let code = errno
        return SpoolError(code: code, text: "\(what) \(path): \(String(cString: strerror(code)))")
    }
}
