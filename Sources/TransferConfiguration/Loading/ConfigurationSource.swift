import Glibc
import TransferModel

/// The files that make up the configuration.
struct ConfigurationSource {
    /// In the order they are read: the main file, then `conf.d/*.conf` beside it in byte order of names.
    let files: [FilePath]

    static let defaultFile = FilePath.root.appending("etc/transferd/transferd.conf")

    /// `named`, else `$TRANSFERD_CONFIG`, else the default file where there is one; with a state directory of its own
    /// the default file is not looked for.
    init(named: FilePath?, hasStateDirectory: Bool, environment: [String: String])
        throws(ConfigurationProblems)
    {
        if let main = named ?? environment["TRANSFERD_CONFIG"].flatMap({ FilePath($0) }) {
            files = [main] + (try Self.dropIns(beside: main))
        } else if hasStateDirectory {
            files = []
        } else {
            let main = Self.defaultFile
            let isThere = main.withCString { access($0, F_OK) } == 0 || errno != ENOENT
            files = (isThere ? [main] : []) + (try Self.dropIns(beside: main))
        }
    }

    private static func dropIns(beside main: FilePath) throws(ConfigurationProblems) -> [FilePath] {
        let directory = main.directory.map { $0.appending("conf.d") } ?? FilePath("conf.d") ?? main
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
