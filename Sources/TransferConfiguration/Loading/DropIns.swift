import Glibc
import TransferModel

/// The `*.conf` files of a directory such as `conf.d`.
enum DropIns {
    /// In byte order of their names, hidden ones left out; none when there is no such directory.
    static func files(in directory: FilePath) throws(ConfigurationProblems) -> [FilePath] {
        guard let stream = directory.withCString({ opendir($0) }) else {
            if errno == ENOENT || errno == ENOTDIR { return [] }
            let reason = String(cString: strerror(errno))
            let place = ConfigurationPlace(file: directory, line: 0)
            throw ConfigurationProblems([ConfigurationProblem(at: place, "can't be read: \(reason)")])
        }
        defer { closedir(stream) }
        var names: [FileName] = []
        while let entry = readdir(stream) {
            if let name = name(of: entry), isConfiguration(name) { names.append(name) }
        }
        return names.sorted { $0.bytes.lexicographicallyPrecedes($1.bytes) }.map(directory.appending)
    }

    private static func name(of entry: UnsafeMutablePointer<dirent>) -> FileName? {
        withUnsafeBytes(of: &entry.pointee.d_name) { FileName(bytes: Array($0.prefix { $0 != 0 })) }
    }

    private static func isConfiguration(_ name: FileName) -> Bool {
        name.bytes.first != UInt8(ascii: ".") && name.bytes.suffix(5) == Array(".conf".utf8)[...]
    }
}
