public import TransferModel

/// The configuration against this machine: directories, certificates, credentials.
public enum ConfigurationCheck {
    /// Tests as the calling process what the daemon will need, and makes nothing.
    ///
    /// Directories that the daemon makes itself may be missing where they can be made. Run as the daemon's user for
    /// an answer that holds for the daemon.
    public static func run(_ settings: Settings, environment: [String: String]) -> [Finding] {
        let sandbox = UnitSandbox(settings, environment: environment)
        return needs(settings).compactMap { finding($0, sandbox) }
            + settings.routes.compactMap(sharedName)
            + TrustCheck(settings, sandbox: sandbox, environment: environment).findings()
            + CredentialsCheck(settings, environment: environment).findings()
    }

    /// Makes the directories that the daemon keeps for itself where they are missing, then tests as ``run`` does.
    ///
    /// Throws the finding that keeps the daemon from working at all: no state directory, or no spool. Any other
    /// error concerns one route or address and goes into the log.
    public static func prepare(_ settings: Settings, environment: [String: String]) throws(Finding)
        -> [Finding]
    {
        let places = settings.places
        for path in [places.state, places.spool] + places.downloadDirectories {
            _ = DirectoryMaker.make(path)
        }
        let sandbox = UnitSandbox(settings, environment: environment)
        for need in needs(settings).prefix(2) {
            if let found = finding(need, sandbox), found.isError { throw found }
        }
        return run(settings, environment: environment)
    }

    /// What is dropped into a route whose address names a file is stored under that name, whatever it is called.
    private static func sharedName(_ route: RouteSettings) -> Finding? {
        guard route.kind == .upload, !route.url.isDirectory else { return nil }
        return Finding(
            .warning,
            "url of [route \(route.name)]: every file goes to the one name \(route.url); a directory ends in '/'"
        )
    }

    private typealias Need = (key: String, directory: DirectoryCheck)

    /// The state directory and the spool first.
    private static func needs(_ settings: Settings) -> [Need] {
        let places = settings.places
        let own: [Need] = [
            ("state_dir", DirectoryCheck(path: places.state, need: .write)),
            ("spool_dir", DirectoryCheck(path: places.spool, need: .write)),
        ]
        let routes: [Need] = settings.routes.filter(\.hasSpool).map { route in
            (
                "spool of [route \(route.name)]",
                DirectoryCheck(path: route.directory(in: places), need: .write)
            )
        }
        return own + routes
            + places.downloadDirectories.map { ("download_dirs", DirectoryCheck(path: $0, need: .write)) }
            + places.sourceDirectories.map { ("source_dirs", DirectoryCheck(path: $0, need: .read)) }
    }

    private static func finding(_ need: Need, _ sandbox: UnitSandbox) -> Finding? {
        let path = need.directory.path
        let line = sandbox.line(for: path, need.directory.need)
        if let objection = need.directory.objection() {
            let advice = sandbox.isInside ? line.map { "; \(UnitSandbox.advice($0))" } : nil
            return Finding(.error, "\(need.key): directory '\(path)' \(objection)\(advice ?? "")")
        }
        guard let line, !sandbox.isInside else { return nil }
        return Finding(
            .warning,
            "\(need.key): the unit hides '\(path)' from the service or lets it only read; "
                + UnitSandbox.advice(line))
    }
}
