import Glibc

/// Why a test's surroundings could not be set up: a sentence for the test's log.
public struct TestServerError: Error, CustomStringConvertible {
    public let description: String

    public init(_ description: String) { self.description = description }

    /// What the system call that has just failed says in `errno`.
    static func system(call: String, path: String = "") -> TestServerError {
        let code = errno
        return TestServerError("\(call) \(path): \(String(cString: strerror(code)))")
    }
}
