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

    /// For a command that needs the table and where things stand, and nothing else of the configuration: mistakes in it are
    /// told and do no harm, as they do none to a daemon that runs.
    init(tableOf invocation: Invocation, _ output: Output) throws {
        let configured = try Configuration.places(
            configFile: invocation.configFile, stateDirectory: invocation.stateDirectory,
            environment: Session.environment())
        if let problems = configured.problems?.problems, let first = problems.first {
            let others = problems.count - 1
            let more = others > 0 ? " (and \(Shown.count(others, "other mistake")))" : ""
            Complaint.write("the configuration has a mistake, which is of no account here: \(first)\(more)")
        }
        let table = try JobTable.openForClient(configured.places)
        self.init(
            store: table, places: configured.places, expires: .zero, output: output,
            isDaemonRunning: { table.isDaemonRunning })
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
