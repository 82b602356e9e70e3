internal import Glibc
internal import TransferModel

/// What the system said about a file, as a sentence.
enum SystemCall {
    /// Ends a command: `what` could not be done, because of errno. Lack of room may pass, anything else will not.
    static func failure(_ what: String, errno code: Int32 = errno) -> CommandError {
        let sentence = "\(what): \(reason(code))"
        switch code {
        case ENOSPC, EDQUOT, EMFILE, ENFILE, ENOMEM, EIO, EAGAIN: return .later(sentence)
        default: return .usage(sentence)
        }
    }

    static func reason(_ code: Int32) -> String {
        strerror(code).map { String(cString: $0) } ?? "error \(code)"
    }
}

/// An open file, closed when its owner goes.
struct FileDescriptor: ~Copyable {
    let number: Int32

    init(_ number: Int32) { self.number = number }

    deinit { close(number) }
}
