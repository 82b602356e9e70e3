import Glibc
import TestServers

/// The two programs, as the build that these tests belong to made them.
enum Programs {
    static var transferd: String { get throws { try path("transferd") } }
    static var transferctl: String { get throws { try path("transferctl") } }

    /// The directory of the running test program: the programs are built beside it.
    private static func path(_ name: String) throws -> String {
        var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
        let count = readlink("/proc/self/exe", &buffer, buffer.count - 1)
        let program = buffer.prefix(max(count, 0)).map(UInt8.init(bitPattern:))
        let directory = program.lastIndex(of: UInt8(ascii: "/")).map { program[..<$0] } ?? []
        let found = "\(String(decoding: directory, as: UTF8.self))/\(name)"
        guard access(found, X_OK) == 0 else {
            throw TestServerError("\(found) is not there: build the package first")
        }
        return found
    }
}
