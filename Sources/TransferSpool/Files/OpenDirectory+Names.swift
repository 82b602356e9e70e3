import CLinux
import Glibc
import TransferModel

extension OpenDirectory {
    /// Calls `body` with each name but `.` and `..`, as bytes, in no order.
    ///
    /// The descriptor is rewound and not opened again, so that a watch on the directory hears nothing of it.
    func forEachName(_ body: (FileName) throws(SpoolError) -> Void) throws(SpoolError) {
        let copy = transferd_fcntl(fd, F_DUPFD_CLOEXEC, 0)
        guard copy >= 0, let stream = fdopendir(copy) else {
            let error = SpoolError.last("cannot read the directory", path)
            if copy >= 0 { close(copy) }
            throw error
        }
        defer { closedir(stream) }
        rewinddir(stream)
        errno = 0
        while let entry = readdir(stream) {
            if let name = FileName(bytes: Self.bytes(entry)) { try body(name) }
            errno = 0
        }
        guard errno == 0 else { throw SpoolError.last("cannot read the directory", path) }
    }

    func names() throws(SpoolError) -> [FileName] {
        var names: [FileName] = []
        try forEachName { names.append($0) }
        return names
    }

    private static func bytes(_ entry: UnsafeMutablePointer<dirent>) -> [UInt8] {
        let start = UnsafeRawPointer(entry) + (MemoryLayout<dirent>.offset(of: \.d_name) ?? 19)
        let text = start.assumingMemoryBound(to: CChar.self)
        return Array(UnsafeRawBufferPointer(start: start, count: strlen(text)))
    }
}
