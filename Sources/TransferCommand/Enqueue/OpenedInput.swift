internal import CLinux
internal import Glibc
internal import TransferModel

/// A source, opened as the caller may read it and found to be something that can be sent.
struct OpenedInput: ~Copyable {
    let descriptor: Int32
    let size: ByteCount
    /// Nanoseconds since 1970; with the size it tells whether the file changed. nil for standard input.
    let modified: Int64?
    private let isOurs: Bool

    /// Follows symbolic links and never waits: a named pipe is refused, not opened.
    init(_ path: FilePath) throws(CommandError) {
        let fd = path.withCString { transferd_open($0, O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY, 0) }
        guard fd >= 0 else { throw OpenedInput.unopenable(path, errno) }
        var status = stat()
        guard fstat(fd, &status) == 0, let refusal = OpenedInput.refusal(status, path) else {
            descriptor = fd
            size = ByteCount(rawValue: Int64(status.st_size))
            modified = OpenedInput.time(status)
            isOurs = true
            return
        }
        close(fd)
        throw refusal
    }

    /// Standard input, whatever it is.
    init(standardInput: Void) {
        descriptor = STDIN_FILENO
        size = .zero
        modified = nil
        isOurs = false
    }

    init(_ input: Input) throws(CommandError) {
        switch input {
        case .standardInput: self.init(standardInput: ())
        case .file(let path): try self.init(path)
        }
    }

    deinit { if isOurs { close(descriptor) } }

    /// Whether the file is still as it was when it was opened.
    func isUnchanged() -> Bool {
        var status = stat()
        guard isOurs, fstat(descriptor, &status) == 0 else { return !isOurs }
        return Int64(status.st_size) == size.rawValue && OpenedInput.time(status) == modified
    }

    /// All of it; for what has to stand in memory.
    func content(of input: Input) throws(CommandError) -> [UInt8] {
        var content: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
            try Interruption.check()
            let count = read(descriptor, &buffer, buffer.count)
            if count == 0 { return content }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw SystemCall.failure("cannot read \(input.display)") }
            content += buffer[..<count]
        }
    }

    private static func time(_ status: stat) -> Int64 {
        Int64(status.st_mtim.tv_sec) * 1_000_000_000 + Int64(status.st_mtim.tv_nsec)
    }

    /// nil for a regular file.
    private static func refusal(_ status: stat, _ path: FilePath) -> CommandError? {
        let kind = status.st_mode & Glibc.S_IFMT
        guard kind != Glibc.S_IFREG else { return nil }
        let name = "'\(Shown.bytes(path.bytes))'"
        switch kind {
        case Glibc.S_IFDIR: return .usage("\(name) is a directory; name the files in it")
        case Glibc.S_IFIFO: return .usage("\(name) is a pipe; give '-' and let standard input come from it")
        default: return .usage("\(name) is not a regular file")
        }
    }

    private static func unopenable(_ path: FilePath, _ code: Int32) -> CommandError {
        // A socket cannot be opened at all.
        code == ENXIO
            ? .usage("'\(Shown.bytes(path.bytes))' is not a regular file")
            : SystemCall.failure("cannot read '\(Shown.bytes(path.bytes))'", errno: code)
    }
}
