/// The whole configuration, resolved: what the daemon and `transferctl` run by.
public struct Settings: Hashable, Sendable {
    public var places: Places
    public var general: General
    /// In the order of the file.
    public var origins: [OriginSettings]
    public var routes: [RouteSettings]

    public init(places: Places, general: General, origins: [OriginSettings], routes: [RouteSettings]) {
        self.places = places
        self.general = general
        self.origins = origins
        self.routes = routes
    }

    /// The settings that hold for `origin`: the `[origin]` section with the most specific match, else the defaults.
    ///
    /// Routes to the origin have their say too, since a connection belongs to its origin: where one of them demands
    /// TLS it is demanded, and the smallest `lanes` of those that name it counts.
    public func settings(for origin: Origin) -> OriginSettings {
        let matching = origins.flatMap { section in section.matches.map { (section, $0) } }
            .filter { $0.1.matches(origin) }
        var found = matching.max { $0.1.specificity < $1.1.specificity }?.0 ?? OriginSettings(name: "default")
        let toOrigin = routes.filter { $0.url.origin == origin }
        if toOrigin.contains(where: { $0.tls == .require }) { found.tls = .require }
        found.lanes = toOrigin.compactMap(\.lanes).min() ?? found.lanes
        return found
    }

    public func route(_ name: String) -> RouteSettings? { routes.first { $0.name == name } }

    /// Section `[transferd]`.
    public struct General: Hashable, Sendable {
        /// Lanes in all.
        public var lanes = 64
        /// What all transfers together move at most, each way.
        public var rate: Rate?
        /// How long an idle lane keeps its connection.
        public var idleTimeout: Duration = .seconds(30)
        /// How often the spool is read although nothing was announced.
        public var rescan: Duration = .seconds(60)
        /// From creation to giving up.
        public var expires: Duration = .seconds(5 * 86_400)
        /// Tries that reached the data and got no further.
        public var attempts = 10
        /// Names in the spool that are left alone: shell patterns, fnmatch(3).
        public var ignore: [String] = Self.defaultIgnore
        /// The credentials file in netrc format; nil: `$CREDENTIALS_DIRECTORY/netrc`, `DIR/netrc`, or none.
        public var netrc: FilePath?
        /// How long the files that a failed or expired job was handed over stay for `retry`.
        public var keepFailed: Duration = .seconds(7 * 86_400)
        /// The smallest priority that reaches the log: 3 errors, 4 warnings, 6 transitions, 7 debugging.
        public var logLevel = 6

        public init() {}

        public static let defaultIgnore = [
            ".*", "*~", "*.part", "*.tmp", "*.swp", "*.crdownload", "*.filepart",
        ]
    }
}

/// Where things stand on this machine.
public struct Places: Hashable, Sendable {
    /// The state directory: job table, lock, wake file, intake.
    public var state: FilePath
    /// Holds one directory for each route.
    public var spool: FilePath
    /// Where downloads go without `-o` and `-d`; always the first of `downloadDirectories`.
    public var downloads: FilePath
    public var downloadDirectories: [FilePath]
    /// Files below these are uploaded in place.
    public var sourceDirectories: [FilePath]

    public init(
        state: FilePath, spool: FilePath, downloads: FilePath, downloadDirectories: [FilePath] = [],
        sourceDirectories: [FilePath] = []
    ) {
        self.state = state
        self.spool = spool
        self.downloads = downloads
        self.downloadDirectories = downloadDirectories.isEmpty ? [downloads] : downloadDirectories
        self.sourceDirectories = sourceDirectories
    }

    /// Everything below one directory, as `--state DIR` says.
    public init(below state: FilePath) {
        self.init(
            state: state, spool: state.appending("spool"), downloads: state.appending("downloads"))
    }

    /// The service's state directory.
    public static let defaultState = FilePath.root.appending("var/lib/transferd")

    public var jobTable: FilePath { state.appending("jobs.db") }
    public var lock: FilePath { state.appending("lock") }
    public var wake: FilePath { state.appending("wake") }
    public var intake: FilePath { state.appending("intake") }
    /// Holds what remote jobs brought, each under its number, until somebody has read it.
    public var results: FilePath { state.appending("results") }

    /// Holds the whole answers to forms whose `reply_file` does not say another place.
    public var replies: FilePath { state.appending("replies") }

    /// The result of a remote job.
    public func result(of id: JobID) -> FilePath {
        FilePath("\(id)").map(results.appending) ?? results
    }

    /// The directory that a source's path is relative to.
    public func directory(of root: SourceFile.Root) -> FilePath {
        switch root {
        case .spool: spool
        case .intake: intake
        case .inPlace(let directory): directory
        }
    }
}
