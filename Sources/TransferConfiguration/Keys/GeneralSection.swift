import TransferModel

/// Section `[transferd]` while it is read.
struct GeneralSection: Sendable {
    var general = Settings.General()
    var state = Places.defaultState
    var spool: FilePath?
    var downloads: [FilePath] = []
    var sources: [FilePath] = []

    static let keys: [ConfigurationKey<GeneralSection>] = [
        .one("state_dir", \.state, .path, "The job table, its lock and what jobs were handed over."),
        .one(
            "spool_dir", \.effectiveSpool, .path,
            "Holds one directory for each route; by default 'spool' below state_dir."),
        .list(
            "download_dirs", \.effectiveDownloads, .path,
            "Downloads stay below these (repeatable); the first is where they go unless told otherwise."),
        .list(
            "source_dirs", \.sources, .path,
            "Files below these are uploaded in place, not copied first (repeatable)."),
        .one("lanes", \.general.lanes, .number(1...1024), "Connections in all."),
        .optional(
            "rate", \.general.rate, .rate,
            "Bytes a second that move at most in all, each way, such as 500K or 2M; without it as many as there are."
        ),
        .one(
            "idle_timeout", \.general.idleTimeout, .duration(atLeast: .zero),
            "How long a connection is kept with nothing to do."),
        .one(
            "rescan", \.general.rescan, .duration(atLeast: .seconds(1)),
            "How often the spool is read although no change was announced."),
        .one(
            "expires", \.general.expires, .duration(atLeast: .seconds(1)),
            "How long after its creation a job is given up."),
        .one(
            "attempts", \.general.attempts, .number(1...1000),
            "Tries that reached the data and got no further, before a job fails."),
        .one(
            "keep_failed", \.general.keepFailed, .duration(atLeast: .zero),
            "How long what a failed job was handed over is kept for 'transferctl retry'."),
        .list(
            "ignore", \.general.ignore, .namePattern, allowsBlank: true,
            "Names in the spool that are left alone, shell patterns (repeatable; replaces this list; blank: none)."
        ),
        .optional(
            "netrc", \.general.netrc, .path,
            "The credentials file, mode 0600: 'machine HOST[:PORT] login USER password PASSWORD'."),
        .one("log_level", \.general.logLevel, .logLevel, "What is logged: error, warning, info or debug."),
    ]

    private var effectiveSpool: FilePath {
        get { spool ?? state.appending("spool") }
        set { spool = newValue }
    }

    private var effectiveDownloads: [FilePath] {
        get { downloads.isEmpty ? [state.appending("downloads")] : downloads }
        set { downloads = newValue }
    }

    /// Where things stand; with `override` everything that stood below the configured state directory, and the spool,
    /// stands below it.
    func places(below override: FilePath?) -> Places {
        guard let override else {
            return Places(
                state: state, spool: effectiveSpool, downloads: effectiveDownloads[0],
                downloadDirectories: effectiveDownloads, sourceDirectories: sources)
        }
        let downloads = override.appending("downloads")
        let moved = effectiveDownloads.map { $0.relative(to: state).map(override.appending) ?? $0 }
        return Places(
            state: override, spool: override.appending("spool"), downloads: downloads,
            downloadDirectories: [downloads] + moved.filter { $0 != downloads },
            sourceDirectories: sources.map { $0.relative(to: state).map(override.appending) ?? $0 })
    }
}
