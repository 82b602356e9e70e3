import Glibc
import TestServers

/// The two programs, as the build that these tests belong to made them, or those in the directory that
/// `TRANSFERD_PROGRAMS` names.
enum Programs {
    static var transferd: String { get throws { try path("transferd") } }
    static var transferctl: String { get throws { try path("transferctl") } }

    private static func path(_ name: String) throws -> String {
        let found = "\(getenv("TRANSFERD_PROGRAMS").map { String(cString: $0) } ?? built)/\(name)"
        guard access(found, X_OK) == 0 else {
            throw TestServerError("\(found) is not there: build the package first")
        }
        return found
    }

    /// The directory of the running test program: the programs are built beside it.
    private static var built: String {
        var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
        let count = readlink("/proc/self/exe", &buffer, buffer.count - 1)
        let program = buffer.prefix(max(count, 0)).map(UInt8.init(bitPattern:))
        let directory = program.lastIndex(of: UInt8(ascii: "/")).map { program[..<$0] } ?? []
        return String(decoding: directory, as: UTF8.self)
    }
}
