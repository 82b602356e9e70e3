internal import CLinux
internal import Glibc
internal import TransferModel

/// Opens the files that jobs read, so that none of them is outside its root, a link, or anything but a regular file.
struct SourceOpener: Sendable {
    let places: Places

    /// O_PATH of open(2), which Swift does not see: the directory need not be readable.
    static let pathOnly: Int32 = 0o10_000_000
    /// O_NONBLOCK: a FIFO must not make anybody wait for its writer.
    static let flags = UInt64(O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC | O_NOCTTY)
    static let resolve = UInt64(RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS)

    /// Blocks on the file system: call it on a disk queue. A source that can't be read is a local failure.
    func open(_ source: SourceFile) throws(Failure) -> OpenFile {
        do throws(SystemError) {
            return try openBeneath(places.directory(of: source.root), source.path)
        } catch {
            throw error.failure
        }
    }

    private func openBeneath(_ root: FilePath, _ path: FilePath) throws(SystemError) -> OpenFile {
        let directory = root.withCString { transferd_open($0, Self.pathOnly | O_DIRECTORY | O_CLOEXEC, 0) }
        guard directory >= 0 else { throw SystemError("open", root) }
        defer { close(directory) }
        LocalDirectories.note(root, directory)
        let whole = root.appending(path)
        let descriptor = path.withCString {
            transferd_openat2(directory, $0, Self.flags, 0, Self.resolve)
        }
        guard descriptor >= 0 else { throw SystemError("open", whole) }
        let file = OpenFile(descriptor: descriptor, path: whole)
        guard try file.status().st_mode & S_IFMT == S_IFREG else {
            throw SystemError("open as a regular file", whole, errno: EINVAL)
        }
        return file
    }
}
