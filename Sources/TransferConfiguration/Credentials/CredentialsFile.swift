import Glibc
public import TransferModel

/// The credentials file as the daemon finds and reads it.
public enum CredentialsFile {
    /// Reads the file that `netrc =` names, else `$CREDENTIALS_DIRECTORY/netrc`, else `netrc` in the state directory;
    /// without any of them the table is empty, and a file without an entry counts as none.
    ///
    /// A file that group or others may do anything with is refused, except below `$CREDENTIALS_DIRECTORY`, which the
    /// service manager protects. No message repeats a password.
    public static func load(
        for settings: Settings, environment: [String: String]
    ) throws(ConfigurationProblems) -> CredentialsTable {
        let directory = environment["CREDENTIALS_DIRECTORY"].flatMap { FilePath($0) }
        if let path = settings.general.netrc { return try read(path, protected: directory) }
        let candidates = [directory, settings.places.state].compactMap { $0?.appending("netrc") }
        for path in candidates where isThere(path) {
            let table = try read(path, protected: directory)
            if !table.entries.isEmpty { return table }
        }
        return CredentialsTable()
    }

    /// Also true of a file that can't be looked at: reading it says why.
    private static func isThere(_ path: FilePath) -> Bool {
        path.withCString { access($0, F_OK) } == 0 || (errno != ENOENT && errno != ENOTDIR)
    }

    private static func read(
        _ path: FilePath, protected: FilePath?
    ) throws(ConfigurationProblems) -> CredentialsTable {
        let content: FileContent
        do throws(FileContent.Refusal) {
            content = try FileContent(of: path)
        } catch {
            throw problem(path, "the credentials file can't be read: \(error.reason)")
        }
        if let objection = SecretFile.objection(to: content, path, protected: protected) {
            throw problem(path, "the credentials file \(objection)")
        }
        do throws(NetrcProblem) {
            return CredentialsTable(entries: try NetrcParser.entries(content.bytes))
        } catch {
            throw problem(path, error.sentence, line: error.line)
        }
    }

    private static func problem(_ path: FilePath, _ sentence: String, line: Int = 0) -> ConfigurationProblems
    {
        ConfigurationProblems([
            ConfigurationProblem(at: ConfigurationPlace(file: path, line: line), sentence)
        ])
    }
}
