import Glibc
public import TransferModel

/// The configuration as both programs find and read it.
public enum Configuration {
    /// Reads everything there is to read and returns the settings, or every problem of every file.
    ///
    /// The file is `configFile`, else `$TRANSFERD_CONFIG`, else `/etc/transferd/transferd.conf` where it exists; with
    /// it go `conf.d/*.conf` beside it. `stateDirectory` puts everything below one directory, made absolute here, and
    /// without a named file the defaults hold. Reads files; changes nothing.
    public static func load(
        configFile: FilePath?, stateDirectory: FilePath?, environment: [String: String]
    ) throws(ConfigurationProblems) -> Settings {
        try assembly(configFile, stateDirectory, environment).settings(below: stateDirectory.map(absolute))
    }

    /// Where things stand, for whoever needs nothing else: what is wrong elsewhere is told and does no harm. Throws where the
    /// state directory cannot be known for it, or a file cannot be read.
    public static func places(
        configFile: FilePath?, stateDirectory: FilePath?, environment: [String: String]
    ) throws(ConfigurationProblems) -> ConfiguredPlaces {
        let assembly = try assembly(configFile, stateDirectory, environment)
        let found = try assembly.places(below: stateDirectory.map(absolute))
        // A file that is named and not there is a slip of the one who named it.
        if let problems = found.problems, problems.problems.contains(where: { $0.place.line == 0 }) {
            throw problems
        }
        return found
    }

    private static func assembly(
        _ configFile: FilePath?, _ stateDirectory: FilePath?, _ environment: [String: String]
    ) throws(ConfigurationProblems) -> ConfigurationAssembly {
        let environment = environment.filter { !$0.value.isEmpty }
        let source = try ConfigurationSource(
            named: configFile, hasStateDirectory: stateDirectory != nil, environment: environment)
        var assembly = ConfigurationAssembly()
        for path in source.files {
            do throws(FileContent.Refusal) {
                assembly.add(ConfigurationFile(path: path, bytes: try FileContent(of: path).bytes))
            } catch {
                let place = ConfigurationPlace(file: path, line: 0)
                assembly.add(ConfigurationProblem(at: place, "can't be read: \(error.reason)"))
            }
        }
        return assembly
    }

    private static func absolute(_ path: FilePath) -> FilePath {
        guard !path.isAbsolute, let current = getcwd(nil, 0) else { return path.normalized }
        defer { free(current) }
        return FilePath(String(cString: current)).map { $0.appending(path).normalized } ?? path
    }
}
