internal import CLinux
internal import Glibc
internal import TransferModel

/// The result of a remote job, opened to be read; in the state directory, where the daemon made it.
struct ResultFile: ~Copyable {
    private let file: FileDescriptor
    private let path: FilePath

    private init(_ file: consuming FileDescriptor, _ path: FilePath) {
        self.file = file
        self.path = path
    }

    /// nil when there is none.
    static func open(_ id: JobID, in places: Places) throws(CommandError) -> ResultFile? {
        let path = places.result(of: id)
        let number = path.withCString {
            transferd_open($0, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0)
        }
        guard number >= 0 else {
            if errno == ENOENT { return nil }
            throw SystemCall.failure("cannot read the result '\(Shown.bytes(path.bytes))'")
        }
        let file = FileDescriptor(number)
        var status = stat()
        guard fstat(number, &status) == 0, status.st_mode & Glibc.S_IFMT == Glibc.S_IFREG else {
            throw .usage("'\(Shown.bytes(path.bytes))' is not a regular file")
        }
        return ResultFile(file, path)
    }

    /// Nothing there is no error.
    static func remove(_ id: JobID, in places: Places) {
        _ = places.result(of: id).withCString { unlink($0) }
    }

    /// Everything that is in it, in pieces of up to 256 KiB.
    func read(_ take: (UnsafeRawBufferPointer) throws -> Void) throws {
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 262_144, alignment: 4096)
        defer { buffer.deallocate() }
        while true {
            let count = Glibc.read(file.number, buffer.baseAddress, buffer.count)
            if count == 0 { return }
            if count < 0 {
                guard errno == EINTR else {
                    throw SystemCall.failure("cannot read the result '\(Shown.bytes(path.bytes))'")
                }
                continue
            }
            try take(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
        }
    }

    /// Its lines, without their ends.
    func lines(_ take: ([UInt8]) throws -> Void) throws {
        var rest: [UInt8] = []
        try read { bytes in
            rest += bytes
            var start = rest.startIndex
            while let end = rest[start...].firstIndex(of: 0x0a) {
                try take(Array(rest[start..<end]))
                start = end + 1
            }
            rest.removeSubrange(..<start)
        }
        if !rest.isEmpty { try take(rest) }
    }
}
