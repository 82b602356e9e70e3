internal import CLinux
internal import Glibc
internal import TransferModel

/// The copies that one transaction hands over, in a directory of its own for each job: `intake/TOKEN/0`, `1`, ….
///
/// A directory goes with its job. Copies belong to their jobs once the transaction stands (``keep()``); until then they
/// go with the owner.
struct Intake: ~Copyable {
    private struct Token {
        let name: FileName
        var count = 0
    }

    private let parent: FilePath
    private var tokens: [Token] = []
    private var isKept = false
    /// A lock on ``parent``, shared with others that hand over: while it is held, nobody takes the copies for forgotten.
    private var lock: FileDescriptor?

    /// Makes nothing; directories come with the first file of each job.
    init(below parent: FilePath) { self.parent = parent }

    deinit {
        guard !isKept else { return }
        for token in tokens {
            let directory = parent.appending(token.name)
            for number in 0..<token.count {
                _ = Intake.file(number, in: directory).withCString { unlink($0) }
            }
            _ = directory.withCString { rmdir($0) }
        }
    }

    /// Copies what the caller can read; the name is what the person knows the source by.
    ///
    /// The copy lies beside those that the job has already, or in a new directory for the job's first.
    mutating func take(
        _ input: borrowing OpenedInput, as name: FileName, display: String, isFirst: Bool
    ) throws(CommandError) -> (source: SourceFile, size: ByteCount) {
        if isFirst || tokens.isEmpty { try makeToken() }
        let token = tokens[tokens.count - 1]
        let directory = parent.appending(token.name)
        let fd = Intake.file(token.count, in: directory).withCString {
            transferd_open($0, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o660)
        }
        guard fd >= 0 else { throw SystemCall.failure("cannot create a file in '\(shown(directory))'") }
        let copy = FileDescriptor(fd)
        tokens[tokens.count - 1].count += 1
        // The daemon's group may read and remove it whatever the caller's umask says.
        guard fchmod(copy.number, 0o660) == 0 else {
            throw SystemCall.failure("cannot share a copy of \(display)")
        }
        try FileCopy.run(from: input, to: copy.number, display: display)
        var status = stat()
        guard fstat(copy.number, &status) == 0 else {
            throw SystemCall.failure("cannot look at a copy of \(display)")
        }
        let path = Intake.file(token.count, in: FilePath(token.name))
        return (SourceFile(root: .intake, path: path, name: name), ByteCount(Int(status.st_size)))
    }

    /// After this call the copies survive a loss of power.
    func makeDurable() throws(CommandError) {
        guard !tokens.isEmpty else { return }
        // Many small files are faster through one flush of the file system than through one each.
        if tokens.reduce(0, { $0 + $1.count }) > 8 {
            return try synchronize(parent, wholeFileSystem: true)
        }
        for token in tokens {
            let directory = parent.appending(token.name)
            for number in 0..<token.count { try synchronize(Intake.file(number, in: directory)) }
            try synchronize(directory)
        }
        try synchronize(parent)
    }

    /// The rows stand: the copies are their jobs' now.
    mutating func keep() { isKept = true }

    private mutating func makeToken() throws(CommandError) {
        guard let name = FileName(RandomToken.make()) else {
            preconditionFailure("a token is the name of a file")
        }
        try Intake.makeDirectory(parent)
        try takeLock()
        try Intake.makeDirectory(parent.appending(name))
        tokens.append(Token(name: name))
    }

    /// A file system without such locks leaves it at the copies' age.
    private mutating func takeLock() throws(CommandError) {
        guard lock == nil else { return }
        let fd = parent.withCString { transferd_open($0, O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0) }
        guard fd >= 0 else { throw SystemCall.failure("cannot open '\(shown(parent))'") }
        lock = FileDescriptor(fd)
        while transferd_flock(fd, LOCK_SH) != 0, errno == EINTR { try Interruption.check() }
    }

    /// 2770 whatever the umask says; one that exists is left as it is.
    private static func makeDirectory(_ path: FilePath) throws(CommandError) {
        let made = path.withCString { mkdir($0, 0o770) == 0 ? chmod($0, 0o2770) == 0 : errno == EEXIST }
        guard made else {
            throw SystemCall.failure("cannot make the directory '\(Shown.bytes(path.bytes))'")
        }
    }

    private func synchronize(_ path: FilePath, wholeFileSystem: Bool = false) throws(CommandError) {
        let fd = path.withCString { transferd_open($0, O_RDONLY | O_CLOEXEC, 0) }
        guard fd >= 0 else { throw SystemCall.failure("cannot open '\(shown(path))'") }
        let opened = FileDescriptor(fd)
        let result = wholeFileSystem ? transferd_sync_file_system(opened.number) : fsync(opened.number)
        guard result == 0 else { throw SystemCall.failure("cannot write '\(shown(path))' to the disk") }
    }

    private static func file(_ number: Int, in directory: FilePath) -> FilePath {
        guard let name = FileName("\(number)") else { preconditionFailure("a number is the name of a file") }
        return directory.appending(name)
    }

    private func shown(_ path: FilePath) -> String { Shown.bytes(path.bytes) }
}
