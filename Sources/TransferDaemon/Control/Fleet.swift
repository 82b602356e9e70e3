import TransferEngine
import TransferModel

/// The lanes that are open and the jobs that run on them.
@ControlActor final class Fleet {
    /// A job on its lane.
    struct Running {
        var job: Job
        let lane: LaneID
        let assignment: Assignment
        let unknownOutcome: UnknownOutcome
        let rate: RateLimiter
        /// What was recorded last.
        var recorded: ByteCount
        var missing: [Window]
        var checkpoint: Checkpoint

        /// How far it is; nil when that is recorded already.
        mutating func moved() -> Advance? {
            let advance = assignment.progress.advance
            guard advance.offset != recorded || advance.missing != missing else { return nil }
            recorded = advance.offset
            missing = advance.missing
            return advance
        }
    }

    private var lanes: [LaneID: Lane] = [:]
    private(set) var running: [JobID: Running] = [:]
    private var memories: [Origin: OriginMemory] = [:]
    private let rate = RateLimiter()
    private var rates: [Origin: RateLimiter] = [:]
    private let report: @Sendable (LaneEvent) -> Void

    init(report: @escaping @Sendable (LaneEvent) -> Void) { self.report = report }

    func open(_ id: LaneID, to origin: Origin, settings: OriginSettings, idleTimeout: Duration) {
        lanes[id] = Lane(
            id: id, origin: origin, settings: settings, idleTimeout: idleTimeout, memory: memory(of: origin),
            report: report)
    }

    private func memory(of origin: Origin) -> OriginMemory {
        if let known = memories[origin] { return known }
        let new = OriginMemory()
        memories[origin] = new
        return new
    }

    /// What was learned of the servers may be wrong from now on.
    func forgetServers() {
        for memory in memories.values { memory.forget() }
    }

    func start(
        _ job: Job, on id: LaneID, origin: OriginSettings, settings: Settings, credentials: CredentialsTable
    ) {
        let route = job.route.flatMap(settings.route)
        let unknownOutcome = job.unknownOutcome(route: route, origin: origin)
        let rate = RateLimiter(job.rate)
        let assignment = Assignment(
            job: job, attempt: job.attempts + 1, origin: origin, route: route,
            login: credentials.login(for: job.origin),
            proxyLogin: origin.path.proxy.flatMap(credentials.login(forProxy:)),
            places: settings.places, unknownOutcome: unknownOutcome, progress: Progress(),
            rates: Rates([self.rate, self.rate(of: job.origin, origin.rate), rate]),
            sources: sources(of: job, settings, credentials, rate))
        running[job.id] = Running(
            job: job, lane: id, assignment: assignment, unknownOutcome: unknownOutcome, rate: rate,
            recorded: job.offset, missing: job.missing, checkpoint: job.checkpoint)
        lanes[id]?.start(assignment)
    }

    /// The lane takes part in a job that another one carries.
    func join(_ job: JobID, on id: LaneID) {
        guard let assignment = running[job]?.assignment, let lane = lanes[id] else { return }
        lane.start(assignment.part(at: lane.origin))
    }

    /// The download's further addresses that lanes of their own can fetch parts from, one of each origin.
    private func sources(
        of job: Job, _ settings: Settings, _ credentials: CredentialsTable, _ rate: RateLimiter
    ) -> [DownloadSource] {
        guard case .download(let download) = job.description else { return [] }
        var seen: Set<Origin> = [job.origin]
        return (download.mirrors ?? []).filter { seen.insert($0.origin).inserted }.map { url in
            let origin = settings.settings(for: url.origin)
            return DownloadSource(
                url: url, settings: origin,
                proxyLogin: origin.path.proxy.flatMap(credentials.login(forProxy:)),
                rates: Rates([self.rate, self.rate(of: url.origin, origin.rate), rate]))
        }
    }

    // MARK: Rates

    private func rate(of origin: Origin, _ rate: Rate?) -> RateLimiter {
        if let known = rates[origin] { return known }
        let new = RateLimiter(rate)
        rates[origin] = new
        return new
    }

    /// The rates of the configuration hold from now on, for what runs as well.
    func keepRates(of settings: Settings) {
        rate.set(settings.general.rate)
        for (origin, rate) in rates { rate.set(settings.settings(for: origin).rate) }
    }

    /// The rates that people gave to jobs hold from now on; nobody gave any to the others.
    func keepRates(_ known: [JobID: Rate]) {
        for (id, run) in running { run.rate.set(known[id]) }
    }

    /// The job is off its lane. nil when it was not known.
    func ended(_ id: JobID) -> Running? {
        let run = running.removeValue(forKey: id)
        for source in run?.assignment.sources ?? [] { forgetRate(of: source.url.origin) }
        return run
    }

    /// A source's origin may never have had a lane, whose end would have forgotten it.
    private func forgetRate(of origin: Origin) {
        let isKept = running.values.contains { $0.assignment.sources.contains { $0.url.origin == origin } }
        if !isKept, !lanes.values.contains(where: { $0.origin == origin }) { rates[origin] = nil }
    }

    func note(_ request: JobRequest?, of id: JobID) { running[id]?.job.request = request }

    /// Whether the checkpoint is another than the last one that was recorded.
    func note(_ checkpoint: Checkpoint, of id: JobID) -> Bool {
        guard let known = running[id]?.checkpoint, known != checkpoint else { return false }
        running[id]?.checkpoint = checkpoint
        return true
    }

    func cancel(_ id: JobID, on lane: LaneID) { lanes[lane]?.cancel(id) }
    func interrupt(_ id: JobID, on lane: LaneID) { lanes[lane]?.interrupt(id) }
    func close(_ lane: LaneID) { lanes[lane]?.close() }

    /// The lane is gone; what its origin is known for stays while there is anything.
    func closed(_ id: LaneID) {
        guard let lane = lanes.removeValue(forKey: id) else { return }
        let isLast = !lanes.values.contains { $0.origin == lane.origin }
        if isLast { rates[lane.origin] = nil }
        if isLast, memories[lane.origin]?.isBlank == true { memories[lane.origin] = nil }
    }

    /// What is to be recorded of the jobs whose bytes moved since the last call.
    func progressed() -> [(JobID, JobChange)] {
        running.keys.compactMap { id in moved(id).map { (id, .progressed(id, $0)) } }
    }

    /// How far the job is; nil when that is recorded already.
    func moved(_ id: JobID) -> Advance? { running[id]?.moved() }
}
