internal import Glibc
internal import TransferModel

extension Failure {
    /// What a failed system call means: words for a person, errno as the code.
    ///
    /// - Parameter action: what could not be done, as in "cannot write '/srv/x'".
    static func system(_ action: String, errno number: Int32 = errno) -> Failure {
        let words =
            switch number {
            case ELOOP: "a symbolic link is in the way, and none is followed"
            case EXDEV: "the path leads out of its directory"
            default: String(cString: strerror(number))
            }
        let isPermanent = number == ELOOP || number == EXDEV
        return Failure(isPermanent ? .permanent : .local, code: Int(number), text: "\(action): \(words)")
    }
}
