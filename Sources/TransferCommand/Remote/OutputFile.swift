internal import CLinux
internal import Glibc
internal import TransferModel

/// A file of the person's own that gets new content as a whole or not at all: written under another name beside it and
/// then renamed. What is no regular file (a device, a pipe) is written to as it is.
final class OutputFile {
    private let path: FilePath
    /// The name until it is whole; nil where the file itself is written.
    private var temporary: FilePath?
    private let file: FileDescriptor

    /// Throws where nothing could be written.
    static func check(_ path: FilePath) throws(CommandError) {
        var status = stat()
        let isThere = path.withCString { stat($0, &status) } == 0
        if isThere, status.st_mode & Glibc.S_IFMT == Glibc.S_IFDIR {
            throw .usage("'\(Shown.bytes(path.bytes))' is a directory; name the file")
        }
        let directory = path.directory ?? FilePath(".") ?? path
        guard isThere || directory.withCString({ access($0, W_OK | X_OK) }) == 0 else {
            throw SystemCall.failure("cannot write into '\(Shown.bytes(directory.bytes))'")
        }
    }

    /// A link is followed to the file that it means.
    init(_ path: FilePath) throws(CommandError) {
        let path = RealPath.of(path) ?? path
        self.path = path
        var status = stat()
        let isThere = path.withCString { stat($0, &status) } == 0
        if isThere, status.st_mode & Glibc.S_IFMT != Glibc.S_IFREG {
            temporary = nil
            file = FileDescriptor(path.withCString { transferd_open($0, O_WRONLY | O_CLOEXEC, 0) })
        } else {
            let name = try Self.temporary(beside: path)
            temporary = name
            let flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC
            file = FileDescriptor(name.withCString { transferd_open($0, flags, 0o666) })
        }
        guard file.number >= 0 else {
            temporary = nil
            throw SystemCall.failure("cannot write '\(Shown.bytes(path.bytes))'")
        }
        if isThere, temporary != nil { fchmod(file.number, status.st_mode & 0o777) }
    }

    deinit {
        if let temporary { _ = temporary.withCString { unlink($0) } }
    }

    func write(_ bytes: UnsafeRawBufferPointer) throws(CommandError) {
        var rest = bytes
        while !rest.isEmpty {
            try Interruption.check("interrupted; '\(Shown.bytes(path.bytes))' is as it was")
            let count = Glibc.write(file.number, rest.baseAddress, rest.count)
            if count > 0 {
                rest = UnsafeRawBufferPointer(rebasing: rest[count...])
            } else if errno != EINTR {
                throw SystemCall.failure("cannot write '\(Shown.bytes(path.bytes))'")
            }
        }
    }

    /// The content is on the disk and has its name on return.
    func finish() throws(CommandError) {
        guard let temporary else { return }
        guard fsync(file.number) == 0,
            temporary.withCString({ from in path.withCString { rename(from, $0) } }) == 0
        else { throw SystemCall.failure("cannot write '\(Shown.bytes(path.bytes))'") }
        self.temporary = nil
    }

    private static func temporary(beside path: FilePath) throws(CommandError) -> FilePath {
        guard let name = FileName(".transferctl-\(RandomToken.make())") else {
            preconditionFailure("letters, digits and a dash make a name")
        }
        return path.directory?.appending(name) ?? FilePath(name)
    }

}
