internal import CLinux
internal import Glibc
public import TransferModel

/// The directory of the results of remote jobs: one file for each, under the number of its job.
///
/// Its members of the control group read and remove what they asked for. Names are made anew for each attempt and never
/// followed or written through.
public enum RemoteResults {
    /// Makes the directory where it is missing: rwxrws---.
    public static func make(in places: Places) throws(Failure) {
        let path = places.results
        // mkdir(2) obeys the umask and ignores the set-group-ID bit.
        let isMade = path.withCString { mkdir($0, 0o770) == 0 && chmod($0, 0o2770) == 0 }
        guard isMade || errno == EEXIST else { throw Failure.system("cannot make the directory '\(path)'") }
    }

    /// Removes what nobody has come for in `time`, and what belongs to no job. Returns how many were removed.
    ///
    /// `isAwaited`: whether the job of that number is one that may still write its result or is not over for long.
    @discardableResult
    public static func sweep(
        in places: Places, olderThan time: Duration, now: Timestamp, isAwaited: (JobID) -> Bool
    ) -> Int {
        let path = places.results
        guard let directory = path.withCString({ opendir($0) }) else { return 0 }
        defer { closedir(directory) }
        var count = 0
        while let entry = readdir(directory) {
            let name = withUnsafeBytes(of: &entry.pointee.d_name) { Array($0.prefix { $0 != 0 }) }
            guard let number = Int64(String(decoding: name, as: UTF8.self)), let name = FileName(bytes: name)
            else { continue }
            var status = stat()
            let isThere = FilePath(name).withCString {
                fstatat(dirfd(directory), $0, &status, AT_SYMLINK_NOFOLLOW) == 0
            }
            let age = now.since(Timestamp(rawValue: Int64(status.st_mtim.tv_sec) * 1000))
            guard isThere, age > time, !isAwaited(JobID(rawValue: number)) else { continue }
            if FilePath(name).withCString({ unlinkat(dirfd(directory), $0, 0) }) == 0 { count += 1 }
        }
        return count
    }
}

extension RemoteResults {
    /// A new, empty result of the job; what stood there is removed. rw-r-----, in the directory's group.
    ///
    /// Blocks on the file system: call it on a disk queue.
    static func create(_ id: JobID, in places: Places) throws(Failure) -> OpenFile {
        try make(in: places)
        let directory = try open(places)
        let name = name(of: id)
        let path = places.result(of: id)
        _ = name.withCString { unlinkat(directory.descriptor, $0, 0) }
        let flags = O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC
        let descriptor = name.withCString { transferd_openat(directory.descriptor, $0, flags, 0o640) }
        guard descriptor >= 0 else { throw Failure.system("cannot make the result '\(path)'") }
        let file = OpenFile(descriptor: descriptor, path: path)
        guard fchmod(descriptor, 0o640) == 0 else {
            throw Failure.system("cannot share the result '\(path)'")
        }
        return file
    }

    /// Removes the job's result; nothing there is no error.
    static func remove(_ id: JobID, in places: Places) {
        guard let directory = try? open(places) else { return }
        _ = name(of: id).withCString { unlinkat(directory.descriptor, $0, 0) }
    }

    private static func open(_ places: Places) throws(Failure) -> OpenFile {
        let path = places.results
        let flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC
        let descriptor = path.withCString { transferd_open($0, flags, 0) }
        guard descriptor >= 0 else { throw Failure.system("cannot open the directory '\(path)'") }
        return OpenFile(descriptor: descriptor, path: path)
    }

    private static func name(of id: JobID) -> FilePath {
        guard let name = FilePath("\(id)") else { preconditionFailure("a number is the name of a file") }
        return name
    }
}
