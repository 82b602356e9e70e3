internal import Glibc
internal import TransferModel

/// What the kernel said to a call about a path.
struct SystemError: Error, Hashable, CustomStringConvertible {
    let errno: Int32
    let call: String
    let path: FilePath

    init(_ call: String, _ path: FilePath, errno: Int32 = Glibc.errno) {
        self.errno = errno
        self.call = call
        self.path = path
    }

    var description: String { "\(call) \(path): \(Self.text(errno))" }

    /// The failure that this is to a job.
    var failure: Failure { Failure(.local, code: Int(errno), text: description) }

    static func text(_ errno: Int32) -> String {
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: 256) { buffer in
            guard let base = buffer.baseAddress, strerror_r(errno, base, buffer.count) == 0 else {
                return "error \(errno)"
            }
            return String(cString: base)
        }
    }
}
