internal import CLinux
internal import Glibc
internal import TransferModel

/// A directory of its own in the intake for the files of one transaction: `intake/TOKEN/0`, `1`, ….
///
/// Copies belong to their jobs once the transaction stands (``keep()``); until then they go with the owner.
struct Intake: ~Copyable {
    private let parent: FilePath
    private let token: String
    private var count = 0
    private var isKept = false

    /// Makes nothing; the directory comes with the first file.
    init(below parent: FilePath) {
        self.parent = parent
        token = RandomToken.make()
    }

    deinit {
        guard !isKept, count > 0 else { return }
        for number in 0..<count { _ = file(number).withCString { unlink($0) } }
        _ = directory.withCString { rmdir($0) }
    }

    /// Copies what the caller can read; the name is what the person knows the source by.
    mutating func take(
        _ input: borrowing OpenedInput, as name: FileName, display: String
    ) throws(CommandError) -> (source: SourceFile, size: ByteCount) {
        if count == 0 { try makeDirectory() }
        let number = count
        let fd = file(number).withCString {
            transferd_open($0, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o660)
        }
        guard fd >= 0 else { throw SystemCall.failure("cannot create a file in '\(shown(directory))'") }
        let copy = FileDescriptor(fd)
        count += 1
        // The daemon's group may read and remove it whatever the caller's umask says.
        guard fchmod(fd, 0o660) == 0 else { throw SystemCall.failure("cannot share a copy of \(display)") }
        try FileCopy.run(from: input, to: copy.number, display: display)
        var status = stat()
        guard fstat(fd, &status) == 0 else { throw SystemCall.failure("cannot look at a copy of \(display)") }
        return (SourceFile(root: .intake, path: path(number), name: name), ByteCount(Int(status.st_size)))
    }

    /// After this call the copies survive a loss of power.
    func makeDurable() throws(CommandError) {
        guard count > 0 else { return }
        // Many small files are faster through one flush of the file system than through one each.
        if count <= 16 {
            for number in 0..<count { try synchronize(file(number)) }
        } else {
            try synchronize(directory, wholeFileSystem: true)
        }
        try synchronize(directory)
        try synchronize(parent)
    }

    /// The rows stand: the copies are their jobs' now.
    mutating func keep() { isKept = true }

    private func makeDirectory() throws(CommandError) {
        try Intake.makeDirectory(parent)
        try Intake.makeDirectory(directory)
    }

    /// 2770 whatever the umask says; one that exists is left as it is.
    private static func makeDirectory(_ path: FilePath) throws(CommandError) {
        let made = path.withCString { mkdir($0, 0o770) == 0 ? chmod($0, 0o2770) == 0 : errno == EEXIST }
        guard made else { throw SystemCall.failure("cannot make the directory '\(Shown.bytes(path.bytes))'") }
    }

    private func synchronize(_ path: FilePath, wholeFileSystem: Bool = false) throws(CommandError) {
        let fd = path.withCString { transferd_open($0, O_RDONLY | O_CLOEXEC, 0) }
        guard fd >= 0 else { throw SystemCall.failure("cannot open '\(shown(path))'") }
        let opened = FileDescriptor(fd)
        let result = wholeFileSystem ? transferd_sync_file_system(opened.number) : fsync(opened.number)
        guard result == 0 else { throw SystemCall.failure("cannot write '\(shown(path))' to the disk") }
    }

    private var directory: FilePath { appending(token, to: parent) }

    private func file(_ number: Int) -> FilePath { appending("\(number)", to: directory) }

    private func path(_ number: Int) -> FilePath {
        guard let path = FilePath("\(token)/\(number)") else { preconditionFailure("a token is not empty") }
        return path
    }

    private func appending(_ name: String, to path: FilePath) -> FilePath {
        FilePath(name).map { path.appending($0) } ?? path
    }

    private func shown(_ path: FilePath) -> String { Shown.bytes(path.bytes) }
}
