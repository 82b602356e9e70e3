internal import CLinux
internal import Glibc
internal import TransferModel

/// The few calls that the store makes of the file system, as functions of paths.
enum SystemCalls {
    /// What errno says, in words.
    static func words(_ number: Int32 = errno) -> String { String(cString: strerror(number)) }

    /// lstat(2); nil with errno set.
    static func status(of path: FilePath) -> stat? {
        var status = stat()
        return path.withCString { lstat($0, &status) } == 0 ? status : nil
    }

    static func isDirectory(_ status: stat) -> Bool { status.st_mode & Glibc.S_IFMT == Glibc.S_IFDIR }

    static func isRegularFile(_ status: stat) -> Bool { status.st_mode & Glibc.S_IFMT == Glibc.S_IFREG }

    static func isLink(_ status: stat) -> Bool { status.st_mode & Glibc.S_IFMT == Glibc.S_IFLNK }

    /// open(2), closed on exec and not through a symbolic link; -1 with errno set.
    static func open(_ path: FilePath, _ flags: Int32, mode: mode_t = 0) -> Int32 {
        path.withCString { transferd_open($0, flags | O_CLOEXEC | O_NOFOLLOW, mode) }
    }

    /// The bytes of a small file, as of /proc; nil when it cannot be read.
    static func contents(of path: FilePath) -> [UInt8]? {
        let descriptor = open(path, O_RDONLY)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var contents: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 16_384)
        while true {
            let count = read(descriptor, &buffer, buffer.count)
            if count == 0 { return contents }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return nil }
            contents += buffer[..<count]
        }
    }

    /// Makes the entries of a directory durable.
    static func synchronize(directory: FilePath) {
        let descriptor = open(directory, O_RDONLY | O_DIRECTORY)
        guard descriptor >= 0 else { return }
        fsync(descriptor)
        close(descriptor)
    }
}
