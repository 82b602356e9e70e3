import CLinux
internal import Glibc
internal import TransferModel

/// The directory that a download's target stands in, held open: nothing below can be led elsewhere by renaming.
///
/// The path below the configured directory is walked with openat2(2), RESOLVE_BENEATH and RESOLVE_NO_SYMLINKS.
struct DownloadDirectory: Sendable {
    let target: FileName
    /// The target's path as a person knows it, for sentences.
    let path: FilePath
    let directory: OpenFile
    /// Whether it is known to lie in memory, where nothing that is done waits for a disk.
    private(set) var isInMemory = false

    /// Opens the directory; `makes` when what is missing of it below the configured one is to be made.
    ///
    /// Blocks on the file system: call it on a disk queue.
    init(_ description: DownloadDescription, in places: Places, makes: Bool = true) throws(Failure) {
        guard Self.isAllowed(description.directory, in: places) else {
            throw Failure(
                .permanent,
                text: "'\(description.directory)' is not a directory that download_dirs allows downloads in")
        }
        path = description.directory.appending(description.target)
        guard let names = Self.names(description), let target = names.last else {
            throw Failure(
                .permanent, text: "'\(description.target)' is not the path of a file below a directory")
        }
        self.target = target
        var directory = try Self.openRoot(description.directory)
        for name in names.dropLast() {
            directory = try Self.openOrMake(name, in: directory, path: path, makes: makes)
        }
        self.directory = directory
    }

    /// Of the directories below the configured one, and of the file; nil when it is no path of a file.
    private static func names(_ description: DownloadDescription) -> [FileName]? {
        let components = description.target.components.map { FileName(bytes: $0) }
        let names = components.compactMap(\.self)
        return names.count == components.count && !description.target.isAbsolute ? names : nil
    }

    /// By the text of the paths, or by what they lead to.
    private static func isAllowed(_ directory: FilePath, in places: Places) -> Bool {
        if isAllowedAsWritten(directory, in: places) { return true }
        guard let real = real(directory.normalized) else { return false }
        return places.downloadDirectories.map(\.normalized).compactMap(Self.real).contains {
            real == $0 || real.relative(to: $0) != nil
        }
    }

    private static func isAllowedAsWritten(_ directory: FilePath, in places: Places) -> Bool {
        if places.downloadDirectories.contains(directory) { return true }
        let wanted = directory.normalized
        return places.downloadDirectories.map(\.normalized).contains {
            wanted == $0 || wanted.relative(to: $0) != nil
        }
    }

    private static func real(_ path: FilePath) -> FilePath? {
        guard let resolved = path.withCString({ realpath($0, nil) }) else { return nil }
        defer { free(resolved) }
        return FilePath(bytes: Array(UnsafeRawBufferPointer(start: resolved, count: strlen(resolved))))
    }

    private static let beneath = UInt64(RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS)

    private static func openRoot(_ path: FilePath) throws(Failure) -> OpenFile {
        let descriptor = path.withCString { transferd_open($0, O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0) }
        guard descriptor >= 0 else { throw Failure.system("cannot open the directory '\(path)'") }
        LocalDirectories.note(path, descriptor)
        return OpenFile(descriptor: descriptor, path: path)
    }

    private static func openOrMake(
        _ name: FileName, in parent: OpenFile, path: FilePath, makes: Bool
    ) throws(Failure) -> OpenFile {
        if let directory = open(name, in: parent) { return directory }
        if errno == ENOENT, makes {
            let made = FilePath(name).withCString { mkdirat(parent.descriptor, $0, 0o777) }
            guard made == 0 || errno == EEXIST else {
                throw Failure.system("cannot make the directory '\(name)' for '\(path)'")
            }
            fsync(parent.descriptor)
            if let directory = open(name, in: parent) { return directory }
        }
        throw Failure.system("cannot open the directory '\(name)' for '\(path)'")
    }

    private static func open(_ name: FileName, in parent: OpenFile, resolve: UInt64 = beneath) -> OpenFile? {
        let flags = UInt64(O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        let descriptor = FilePath(name).withCString {
            transferd_openat2(parent.descriptor, $0, flags, 0, resolve)
        }
        return descriptor < 0 ? nil : OpenFile(descriptor: descriptor, path: FilePath(name))
    }

    /// The directory where the kernel knows the way to it, so that a lane may open it itself; nil when any step could
    /// wait, or fails: then the disk queue is to try, and to say what is wrong.
    static func openHot(_ description: DownloadDescription, in places: Places) -> DownloadDirectory? {
        let root = description.directory
        guard let kind = LocalDirectories.kind(of: root), isAllowedAsWritten(root, in: places),
            let names = names(description), let target = names.last
        else { return nil }
        let flags = UInt64(O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        let descriptor = root.withCString {
            transferd_openat2(AT_FDCWD, $0, flags, 0, UInt64(RESOLVE_CACHED))
        }
        guard descriptor >= 0 else { return nil }
        var directory = OpenFile(descriptor: descriptor, path: root)
        for name in names.dropLast() {
            let resolve = beneath | UInt64(RESOLVE_CACHED | RESOLVE_NO_XDEV)
            guard let next = open(name, in: directory, resolve: resolve) else { return nil }
            directory = next
        }
        return DownloadDirectory(
            target: target, path: root.appending(description.target), directory: directory,
            isInMemory: kind == .memory)
    }

    private init(target: FileName, path: FilePath, directory: OpenFile, isInMemory: Bool) {
        self.target = target
        self.path = path
        self.directory = directory
        self.isInMemory = isInMemory
    }
}

extension DownloadDirectory {
    /// Our own name beside the target: `.NAME.ID.part`, cut to what a directory can hold.
    func temporaryName(_ id: JobID) -> FileName {
        let tail = Array(".\(id).part".utf8)
        let kept = target.bytes.prefix(255 - 1 - tail.count)
        guard let name = FileName(bytes: [UInt8(ascii: ".")] + kept + tail) else {
            preconditionFailure("a dot, a number and '.part' make a name")
        }
        return name
    }

    /// Makes a new file under our own name; what stood there is removed and never written through.
    func create(_ name: FileName) throws(Failure) -> OpenFile {
        var descriptor = makeFile(name)
        if descriptor < 0, errno == EEXIST {
            remove(name)
            descriptor = makeFile(name)
        }
        guard descriptor >= 0 else { throw Failure.system("cannot make a file beside '\(path)'") }
        return OpenFile(descriptor: descriptor, path: path)
    }

    private func makeFile(_ name: FileName) -> Int32 {
        let flags = O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC
        return FilePath(name).withCString { transferd_openat(directory.descriptor, $0, flags, 0o666) }
    }

    /// The temporary file of an earlier attempt, when it is beyond doubt our own and holds at least `size` bytes.
    func reopen(_ recorded: Checkpoint.LocalTemporary, holding size: Int64) -> OpenFile? {
        let flags = O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC
        let descriptor = FilePath(recorded.name).withCString {
            transferd_openat(directory.descriptor, $0, flags, 0)
        }
        guard descriptor >= 0 else { return nil }
        let file = OpenFile(descriptor: descriptor, path: path)
        guard let status = try? file.status(), status.st_mode & S_IFMT == S_IFREG else { return nil }
        guard status.st_uid == geteuid(), status.st_nlink == 1, status.st_size >= size else { return nil }
        return recorded.isIdentity(of: status) ? file : nil
    }

    /// Whether `name` is the very file that was recorded, with that size: the rename has happened.
    func isFile(_ recorded: Checkpoint.LocalTemporary, size: Int64, at name: FileName) -> Bool {
        guard let status = status(of: name) else { return false }
        return status.st_size == size && recorded.isIdentity(of: status)
    }

    /// Gives the file its final name, the target's unless another one is said; an older file of that name is replaced in
    /// one step. Durable on return.
    func rename(_ name: FileName, to final: FileName? = nil) throws(Failure) {
        let from = FilePath(name)
        let final = final ?? target
        let renamed = from.withCString { from in
            FilePath(final).withCString { renameat(directory.descriptor, from, directory.descriptor, $0) }
        }
        guard renamed == 0 else {
            throw Failure.system("cannot rename the file to '\(self.path(of: final))'")
        }
        try flush()
    }

    /// fsync(2) of the directory.
    func flush() throws(Failure) {
        guard fsync(directory.descriptor) == 0 else {
            throw Failure.system("cannot flush the directory of '\(path)'")
        }
    }

    /// Removes a name of our own; nothing there is no error.
    func remove(_ name: FileName) {
        _ = FilePath(name).withCString { unlinkat(directory.descriptor, $0, 0) }
    }
}

extension Checkpoint.LocalTemporary {
    init(name: FileName, _ status: stat) {
        self.init(name: name, device: UInt64(status.st_dev), inode: UInt64(status.st_ino))
    }

    func isIdentity(of status: stat) -> Bool {
        device == UInt64(status.st_dev) && inode == UInt64(status.st_ino)
    }
}
