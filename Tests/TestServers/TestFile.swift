import CLinux
import Glibc

/// Whole files for tests: paths are text or bytes, contents are bytes.
public enum TestFile {
    /// The content of the file at `path`.
    public static func read(_ path: String) throws -> [UInt8] {
        try read(rawPath: Array(path.utf8))
    }

    /// The content of the file whose path is `rawPath`, byte for byte.
    public static func read(rawPath: [UInt8]) throws -> [UInt8] {
        let fd = withCString(rawPath) { transferd_open($0, O_RDONLY | O_CLOEXEC, 0) }
        guard fd >= 0 else {
            throw TestServerError.system(call: "open", path: String(decoding: rawPath, as: UTF8.self))
        }
        defer { close(fd) }
        return readAll(fd)
    }

    /// The content of the text file at `path`, or an empty text when it is not there (yet).
    public static func text(_ path: String) -> String {
        ((try? read(path)) ?? []).withUnsafeBufferPointer { String(decoding: $0, as: UTF8.self) }
    }

    /// Writes a whole file at `path`, replacing what was there.
    public static func write(_ content: [UInt8], to path: String, mode: UInt32 = 0o644) throws {
        try write(content, rawPath: Array(path.utf8), mode: mode)
    }

    /// Writes a whole file at a path of any bytes, replacing what was there.
    public static func write(_ content: [UInt8], rawPath: [UInt8], mode: UInt32 = 0o644) throws {
        try create(rawPath, mode: mode) { fd in
            guard content.withUnsafeBytes({ writeAll(fd, $0) }) else {
                throw TestServerError.system(call: "write")
            }
        }
    }

    /// Writes a file of `content` at `path` in pieces: for sizes that should not stand in memory at once.
    public static func write(_ content: TestContent, to path: String) throws {
        try create(Array(path.utf8), mode: 0o644) { fd in
            try content.forEachPiece { piece in
                guard piece.withUnsafeBytes({ writeAll(fd, $0) }) else {
                    throw TestServerError.system(call: "write")
                }
            }
        }
    }

    /// The size of the file at `path` in bytes, nil when there is none.
    public static func size(_ path: String) -> Int? {
        var status = stat()
        return stat(path, &status) == 0 ? Int(status.st_size) : nil
    }

    /// When the file was modified last, in seconds since 1970.
    public static func modified(_ path: String) throws -> Int { try status(path).st_mtim.tv_sec }

    /// The permission bits of the file.
    public static func mode(_ path: String) throws -> UInt32 { try status(path).st_mode & 0o7777 }

    /// Sets when the file was modified last, in seconds since 1970.
    public static func setModified(_ path: String, to seconds: Int) throws {
        let time = timespec(tv_sec: seconds, tv_nsec: 0)
        guard utimensat(AT_FDCWD, path, [time, time], 0) == 0 else {
            throw TestServerError.system(call: "utimensat", path: path)
        }
    }

    private static func status(_ path: String) throws -> stat {
        var status = stat()
        guard stat(path, &status) == 0 else { throw TestServerError.system(call: "stat", path: path) }
        return status
    }

    /// Whether anything has this name, a broken symbolic link included.
    public static func exists(_ path: String) -> Bool {
        var status = stat()
        return lstat(path, &status) == 0
    }

    /// The names in a directory as bytes, without `.` and `..`, in no order.
    public static func names(in path: String) throws -> [[UInt8]] {
        guard let stream = opendir(path) else { throw TestServerError.system(call: "opendir", path: path) }
        defer { closedir(stream) }
        var names: [[UInt8]] = []
        while let entry = Glibc.readdir(stream) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: UInt8.self, capacity: 256) {
                    Array(
                        UnsafeBufferPointer(
                            start: $0, count: strlen(UnsafeRawPointer($0).assumingMemoryBound(to: CChar.self))
                        ))
                }
            }
            if name != [0x2e] && name != [0x2e, 0x2e] { names.append(name) }
        }
        return names
    }

    private static func create(_ path: [UInt8], mode: UInt32, _ body: (Int32) throws -> Void) throws {
        let fd = withCString(path) { transferd_open($0, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, mode) }
        guard fd >= 0 else {
            throw TestServerError.system(call: "open", path: String(decoding: path, as: UTF8.self))
        }
        defer { close(fd) }
        try body(fd)
    }
}

/// Calls `body` with `bytes` as a C string.
func withCString<Result>(_ bytes: [UInt8], _ body: (UnsafePointer<CChar>) throws -> Result) rethrows -> Result
{
    try (bytes.map(CChar.init(bitPattern:)) + [0]).withUnsafeBufferPointer { buffer in
        guard let start = buffer.baseAddress else { preconditionFailure("a C string has at least its NUL") }
        return try body(start)
    }
}

/// All that can still be read from `fd`.
func readAll(_ fd: Int32) -> [UInt8] {
    var content: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 1 << 18)
    while true {
        let count = Glibc.read(fd, &buffer, buffer.count)
        if count > 0 { content += buffer[..<count] }
        if count == 0 || (count < 0 && errno != EINTR) { return content }
    }
}

/// Writes all of `bytes`; false when the other side does not take them.
func writeAll(_ fd: Int32, _ bytes: UnsafeRawBufferPointer) -> Bool {
    var offset = 0
    while offset < bytes.count {
        let count = Glibc.write(fd, bytes.baseAddress.map { $0 + offset }, bytes.count - offset)
        if count > 0 { offset += count }
        if count < 0 && errno != EINTR { return false }
    }
    return true
}

extension TestFile {
    /// The SHA-256 of the file at `path` in lower case hexadecimal, nil when it can't be opened.
    public static func sha256(_ path: String) -> String? {
        let fd = transferd_open(path, O_RDONLY | O_CLOEXEC, 0)
        guard fd >= 0 else { return nil }
        defer { close(fd) }
        var digest = SHA256()
        var buffer = [UInt8](repeating: 0, count: 1 << 20)
        while true {
            let count = Glibc.read(fd, &buffer, buffer.count)
            guard count > 0 else { return digest.finish() }
            digest.update(count == buffer.count ? buffer : Array(buffer[..<count]))
        }
    }
}
