import TestServers
import TransferConfiguration
import TransferModel

/// A directory with a `transferd.conf`, for one test.
struct ConfigurationFolder {
    let directory: TemporaryDirectory
    var main: String { directory.appending("transferd.conf") }

    init(_ text: String = "") throws {
        directory = try TemporaryDirectory(label: "configuration")
        try directory.write(text, to: "transferd.conf")
    }

    func path(_ name: String) -> FilePath { FilePath(directory.appending(name)) ?? .root }

    func load(state: String? = nil) throws -> Settings {
        try Configuration.load(
            configFile: path("transferd.conf"), stateDirectory: state.flatMap { FilePath($0) },
            environment: [:])
    }

    /// The problems, one a line, with the directory's path left out.
    func problems() -> [String] {
        do {
            _ = try load()
            return []
        } catch let problems as ConfigurationProblems {
            return problems.problems.map { $0.description.replacing(directory.path + "/", with: "") }
        } catch {
            return ["\(error)"]
        }
    }
}

/// The problems of one text.
func problems(_ text: String) throws -> [String] { try ConfigurationFolder(text).problems() }

func settings(_ text: String) throws -> Settings { try ConfigurationFolder(text).load() }
