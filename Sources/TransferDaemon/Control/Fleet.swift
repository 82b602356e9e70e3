import TransferEngine
import TransferModel

/// The lanes that are open and the jobs that run on them.
@ControlActor final class Fleet {
    /// A job on its lane.
    struct Running {
        var job: Job
        let lane: LaneID
        let progress: Progress
        let unknownOutcome: UnknownOutcome
        /// What was recorded last.
        var recorded: ByteCount
        var checkpoint: Checkpoint

        /// How far it is; nil when that is recorded already.
        mutating func moved() -> Advance? {
            let offset = progress.offset
            guard offset != recorded else { return nil }
            recorded = offset
            return Advance(start: progress.start, offset: offset, limit: progress.limit)
        }
    }

    private var lanes: [LaneID: Lane] = [:]
    private(set) var running: [JobID: Running] = [:]
    private var memories: [Origin: OriginMemory] = [:]
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
        let progress = Progress()
        let route = job.route.flatMap(settings.route)
        let unknownOutcome = job.unknownOutcome(route: route, origin: origin)
        running[job.id] = Running(
            job: job, lane: id, progress: progress, unknownOutcome: unknownOutcome, recorded: job.offset,
            checkpoint: job.checkpoint)
        lanes[id]?.start(
            Assignment(
                job: job, attempt: job.attempts + 1, origin: origin, route: route,
                login: credentials.login(for: job.origin),
                proxyLogin: origin.path.proxy.flatMap(credentials.login(forProxy:)),
                places: settings.places, unknownOutcome: unknownOutcome, progress: progress))
    }

    /// The job is off its lane. nil when it was not known.
    func ended(_ id: JobID) -> Running? { running.removeValue(forKey: id) }

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
        if isLast, memories[lane.origin]?.isBlank == true { memories[lane.origin] = nil }
    }

    /// What is to be recorded of the jobs whose bytes moved since the last call.
    func progressed() -> [(JobID, JobChange)] {
        running.keys.compactMap { id in moved(id).map { (id, .progressed(id, $0)) } }
    }

    /// How far the job is; nil when that is recorded already.
    func moved(_ id: JobID) -> Advance? { running[id]?.moved() }
}
