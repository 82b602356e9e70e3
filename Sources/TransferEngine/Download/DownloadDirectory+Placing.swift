import CLinux
internal import Glibc
internal import TransferModel

extension DownloadDirectory {
    /// The path of a name here as a person knows it.
    func path(of name: FileName) -> FilePath { path.directory.map { $0.appending(name) } ?? FilePath(name) }

    /// Whether anything stands under a name.
    func holds(_ name: FileName) throws(Failure) -> Bool {
        if status(of: name) != nil { return true }
        guard errno == ENOENT else { throw Failure.system("cannot look at '\(path(of: name))'") }
        return false
    }

    /// What lstat(2) says; nil with errno where it says nothing.
    func status(of name: FileName) -> stat? {
        var status = stat()
        let found = FilePath(name).withCString {
            fstatat(directory.descriptor, $0, &status, AT_SYMLINK_NOFOLLOW)
        }
        return found == 0 ? status : nil
    }

    /// The name itself, or the first of `stem-1.ext`, `stem-2.ext` … under which nothing stands.
    func firstFree(of name: FileName) throws(Failure) -> FileName {
        let parts = NameParts(name.bytes)
        for number in 0...Self.mostNames {
            guard let candidate = number == 0 ? name : parts.numbered(number) else { continue }
            if try !holds(candidate) { return candidate }
        }
        throw Failure(
            .permanent,
            text: "'\(path(of: name))' is taken, and so are all names up to number \(Self.mostNames)")
    }

    private static let mostNames = 1_024

    /// Gives our own file a name under which nothing stands, in one step; false where something does. Durable on return.
    func put(_ temporary: FileName, as name: FileName) throws(Failure) -> Bool {
        let from = FilePath(temporary)
        let to = FilePath(name)
        var result = from.withCString { from in
            to.withCString { transferd_rename_new(directory.descriptor, from, directory.descriptor, $0) }
        }
        // Some file systems rename only onto what there may be: a second name does the same in two steps.
        if result != 0, errno == EINVAL || errno == ENOSYS {
            result = from.withCString { from in
                to.withCString { linkat(directory.descriptor, from, directory.descriptor, $0, 0) }
            }
            if result == 0 { remove(temporary) }
        }
        if result != 0, errno == EEXIST { return false }
        guard result == 0 else { throw Failure.system("cannot rename the file to '\(path(of: name))'") }
        try flush()
        return true
    }
}
