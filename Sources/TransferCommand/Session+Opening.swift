internal import Glibc
internal import TransferConfiguration
internal import TransferModel
internal import TransferStore

extension Session {
    /// Reads the configuration and opens the table; throws with the reason in words.
    init(_ invocation: Invocation, _ output: Output) throws {
        let settings = try Configuration.load(
            configFile: invocation.configFile, stateDirectory: invocation.stateDirectory,
            environment: Session.environment())
        let table = try JobTable.openForClient(settings.places)
        self.init(
            store: table, places: settings.places, expires: settings.general.expires, output: output,
            isDaemonRunning: { table.isDaemonRunning },
            wishes: { settings.settings(for: $0).delivery }, routes: settings.routes)
    }

    private static func environment() -> [String: String] {
        var variables: [String: String] = [:]
        var next = environ
        while let entry = next.pointee {
            let pair = String(cString: entry).split(
                separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            if pair.count == 2 { variables[String(pair[0])] = String(pair[1]) }
            next += 1
        }
        return variables
    }
}
