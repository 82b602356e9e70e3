public import TransferModel

/// One attempt of a job, with all that its worker may know.
public final class Assignment: Sendable {
    public let job: Job
    /// From 1 on.
    public let attempt: Int
    public let origin: OriginSettings
    public let route: RouteSettings?
    public let login: CredentialsTable.Login
    /// For the origin's proxy; nil: it is told none.
    public let proxyLogin: Credentials?
    public let places: Places
    /// What an unknown outcome means where neither the job nor its route says so.
    public let unknownOutcome: UnknownOutcome
    public let progress: Progress
    /// What the job has to keep, changed while it runs.
    public let rates: Rates
    /// Where the lanes of a download meet.
    public let share: DownloadShare
    /// Further addresses of a download's file, at other origins than the job's.
    public let sources: [DownloadSource]
    /// Whether another lane carries the job, and this one takes part.
    public let isPart: Bool

    public init(
        job: Job, attempt: Int, origin: OriginSettings, route: RouteSettings?, login: CredentialsTable.Login,
        proxyLogin: Credentials? = nil, places: Places, unknownOutcome: UnknownOutcome, progress: Progress,
        rates: Rates = Rates(), share: DownloadShare = DownloadShare(), sources: [DownloadSource] = [],
        isPart: Bool = false
    ) {
        self.sources = sources
        self.rates = rates
        self.job = job
        self.attempt = attempt
        self.origin = origin
        self.route = route
        self.login = login
        self.proxyLogin = proxyLogin
        self.places = places
        self.unknownOutcome = unknownOutcome
        self.progress = progress
        self.share = share
        self.isPart = isPart
    }

    /// The same attempt, to be gone on with from where its job is now.
    func goingOn(_ stage: Stage, _ checkpoint: Checkpoint) -> Assignment {
        var job = job
        job.stage = stage
        job.checkpoint = checkpoint
        return with(job, isPart: isPart)
    }

    /// The same attempt for a lane to `origin` that takes part in it: the job's own, or one of its ``sources``.
    public func part(at origin: Origin) -> Assignment {
        guard let source = sources.first(where: { $0.url.origin == origin }) else {
            return with(job, isPart: true)
        }
        // A login, and a route's wishes, belong to the job's own server.
        return Assignment(
            job: job, attempt: attempt, origin: source.settings, route: route, login: .anonymous,
            proxyLogin: source.proxyLogin, places: places, unknownOutcome: unknownOutcome, progress: progress,
            rates: source.rates, share: share, sources: sources, isPart: true)
    }

    private func with(_ job: Job, isPart: Bool) -> Assignment {
        Assignment(
            job: job, attempt: attempt, origin: origin, route: route, login: login, proxyLogin: proxyLogin,
            places: places, unknownOutcome: unknownOutcome, progress: progress, rates: rates, share: share,
            sources: sources, isPart: isPart)
    }
}
