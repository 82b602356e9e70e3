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
        let directory = main.directory?.appending("conf.d") ?? FilePath("conf.d")
        return try directory.map { path throws(ConfigurationProblems) in try DropIns.files(in: path) } ?? []
    }
}
