/// What a route of kind `fetch` says besides what all routes say.
public struct PollSettings: Hashable, Sendable {
    /// From the end of one poll to the next; and how long a file has to look the same before it is fetched.
    public var interval: Duration = .seconds(60)
    /// Where files go, below a directory of `download_dirs`; nil: the route's name below the first of them.
    public var directory: FilePath?
    /// Shell patterns of the names that are fetched, fnmatch(3); none: all.
    public var globs: [String] = []
    /// `after = move`: the directory at the server that a fetched file goes to.
    public var moveTo: NameTemplate?

    public init() {}
}

extension RouteSettings {
    /// Whether files are dropped into it here.
    public var hasSpool: Bool { kind != .fetch }

    /// How long a name that is gone from the directory is remembered. What is moved or removed when it has been fetched may
    /// come back and is fetched again; what is left is not fetched again because one list was cut.
    private static let memory: Duration = .seconds(86_400)

    public var pollRules: PollDecision.Rules {
        PollDecision.Rules(settle: poll.interval, memory: after == .leave ? Self.memory : .zero)
    }

    /// The job that looks into the directory; there is never more than one.
    public func pollJob(now: Timestamp, expires: Duration) -> NewJob {
        NewJob(
            route: name, url: url,
            description: .remote(RemoteDescription(.poll, isQueued: true)), label: "poll",
            idempotencyKey: "poll-\(name)", expiresAt: now + expires, createdAt: now)
    }

    /// Where a file of this name is written to; nil where the route's directory is below none of `download_dirs`.
    public func target(of file: FileName, in places: Places) -> (directory: FilePath, target: FilePath)? {
        let directory =
            poll.directory?.normalized ?? FilePath(name).map(places.downloads.normalized.appending)
            ?? places.downloads
        let path = directory.appending(file)
        for root in places.downloadDirectories {
            if let target = path.relative(to: root.normalized) { return (root, target) }
        }
        return nil
    }

    /// The job that fetches a file of the route's directory.
    public func fetchJob(
        _ file: PollDecision.Taken, in places: Places, key: String, now: Timestamp, expires: Duration
    ) -> NewJob? {
        guard let (directory, target) = self.target(of: file.name, in: places) else { return nil }
        var description = DownloadDescription(directory: directory, target: target)
        description.listed = file.version
        return NewJob(
            route: name, url: url.appending(file.name), description: .download(description),
            idempotencyKey: key, expiresAt: now + expires, createdAt: now)
    }

    /// The job that puts a file away at the server when `job` has fetched it; nil where it stays.
    ///
    /// `size`: of what has arrived. Another one than was listed is another version: the next poll will see. Zero may mean
    /// that an older file here was left alone, so that where no size was listed the server's stays.
    public func putAwayJob(
        of job: Job, size: ByteCount, now: Timestamp, expires: Duration
    ) -> NewJob? {
        guard kind == .fetch, case .download(let download) = job.description, let version = download.listed,
            version.size == size.rawValue || (version.size == nil && size > .zero)
        else { return nil }
        let moveTo: NameTemplate?
        switch after {
        case .move: moveTo = poll.moveTo
        case .delete: moveTo = nil
        case .leave, .archive: return nil
        }
        let order = PutAway(version: version, moveTo: moveTo)
        return NewJob(
            route: name, url: job.url,
            description: .remote(RemoteDescription(.putAway(order), isQueued: true)),
            label: "fetched by job \(job.id)", idempotencyKey: "put-away-\(job.id)",
            expiresAt: now + expires, createdAt: now)
    }
}
