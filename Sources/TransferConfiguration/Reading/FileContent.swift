import Glibc
import TransferModel

/// A file of this machine, read whole.
struct FileContent {
    let bytes: [UInt8]
    /// Permission bits, as in `st_mode`.
    let mode: UInt32
    let owner: UInt32

    /// More than any configuration, credentials or CA file needs.
    static let longest = 16 << 20

    struct Refusal: Error {
        /// errno; 0 when the file itself is not what was expected.
        let code: Int32
        /// What goes after "can't be read: ".
        let reason: String

        init(_ code: Int32) {
            self.code = code
            reason = String(cString: strerror(code))
        }

        init(reason: String) {
            code = 0
            self.reason = reason
        }
    }

    /// Opens without waiting (a FIFO would make a reader wait for ever) and takes regular files only.
    init(of path: FilePath) throws(Refusal) {
        let descriptor = path.withCString { open($0, O_RDONLY | O_CLOEXEC | O_NONBLOCK) }
        guard descriptor >= 0 else { throw Refusal(errno) }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw Refusal(errno) }
        guard status.st_mode & S_IFMT == S_IFREG else { throw Refusal(reason: "it is not a regular file") }
        guard status.st_size <= Self.longest else { throw Refusal(reason: "it is larger than 16 MiB") }
        bytes = try Self.read(descriptor)
        mode = status.st_mode & 0o7777
        owner = status.st_uid
    }

    private static func read(_ descriptor: Int32) throws(Refusal) -> [UInt8] {
        var bytes: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 65_536)
        while bytes.count <= longest {
            let count = piece.withUnsafeMutableBytes { Glibc.read(descriptor, $0.baseAddress, $0.count) }
            if count < 0 && errno == EINTR { continue }
            guard count >= 0 else { throw Refusal(errno) }
            if count == 0 { return bytes }
            bytes += piece[..<count]
        }
        throw Refusal(reason: "it is larger than 16 MiB")
    }
}
