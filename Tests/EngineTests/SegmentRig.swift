import Synchronization
import TestServers
import TransferEngine
import TransferModel

/// Several lanes to one server with the part of the daemon: a lane joins where a job can use one, stages are durable at
/// once.
final class SegmentRig: Sendable {
    private struct State {
        var lanes: [LaneID: Lane] = [:]
        var idle: [LaneID] = []
        var assignments: [JobID: Assignment] = [:]
        var joined: [LaneID: JobID] = [:]
        var wanted: [JobID: Int] = [:]
        var ended: [JobID: Ended] = [:]
        var waiting: [JobID: CheckedContinuation<Ended, Never>] = [:]
        var notices: [String] = []
        var partFailures: [Failure] = []
        var joins = 0
    }

    private final class Arc: Sendable {
        let state = Mutex(State())
    }

    let places: Places
    let directory: TemporaryDirectory
    let origin: Origin
    let settings: OriginSettings
    private let arc = Arc()

    init(
        _ directory: TemporaryDirectory, url: String, lanes: Int = 4,
        settings: OriginSettings = OriginSettings(name: "test")
    ) throws {
        self.directory = directory
        try directory.makeDirectory("downloads")
        guard let path = FilePath(directory.path) else { throw TestServerError("a path") }
        places = Places(below: path)
        origin = try TransferURL(url).origin
        var settings = settings
        settings.lanes = lanes
        self.settings = settings
        let memory = OriginMemory()
        let arc = arc
        for number in 1...lanes {
            let id = LaneID(rawValue: number)
            let lane = Lane(
                id: id, origin: origin, settings: settings, idleTimeout: .seconds(600), memory: memory
            ) { Self.take($0, arc) }
            arc.state.withLock { state in
                state.lanes[id] = lane
                if number > 1 { state.idle.append(id) }
            }
        }
    }

    deinit {
        let lanes = arc.state.withLock { state in
            state.assignments = [:]
            return state.lanes.values.map { $0 }
        }
        for lane in lanes { lane.close() }
    }

    private static func take(_ event: LaneEvent, _ arc: Arc) {
        switch event {
        case .staged(_, _, _, let durable): durable?()
        case .ended(_, let job, let outcome, let stage, let checkpoint):
            let ended = Ended(outcome: outcome, stage: stage, checkpoint: checkpoint)
            let (waiting, joined) = arc.state.withLock { state in
                state.ended[job] = ended
                state.wanted[job] = nil
                let joined = state.joined.filter { $0.value == job }.compactMap { state.lanes[$0.key] }
                return (state.waiting.removeValue(forKey: job), joined)
            }
            for lane in joined { lane.interrupt(job) }
            waiting?.resume(returning: ended)
        case .divisible(let job, let lanes):
            arc.state.withLock { $0.wanted[job] = lanes.values.reduce(0, +) }
            join(job, arc)
        case .parted(let lane, let job, let failure):
            arc.state.withLock { state in
                state.joined[lane] = nil
                state.idle.append(lane)
                state.wanted[job] = nil
                if let failure { state.partFailures.append(failure) }
            }
            join(job, arc)
        case .notice(_, let text): arc.state.withLock { $0.notices.append(text) }
        case .left, .listed, .closed: break
        }
    }

    private static func join(_ job: JobID, _ arc: Arc) {
        let starts = arc.state.withLock { state -> [(Lane, Assignment)] in
            var starts: [(Lane, Assignment)] = []
            while state.joined.values.count(where: { $0 == job }) < state.wanted[job] ?? 0,
                let assignment = state.assignments[job], let id = state.idle.popLast(),
                let lane = state.lanes[id]
            {
                state.joined[id] = job
                state.joins += 1
                starts.append((lane, assignment.part(at: lane.origin)))
            }
            return starts
        }
        for (lane, part) in starts { lane.start(part) }
    }

    var notices: [String] { arc.state.withLock { $0.notices } }
    var joins: Int { arc.state.withLock { $0.joins } }
    var partFailures: [Failure] { arc.state.withLock { $0.partFailures } }
    /// Lanes that take part now.
    var parts: Int { arc.state.withLock { $0.joined.count } }

    /// A download of `url` to `target`, over so many connections.
    func download(_ url: String, segments: SegmentWish = .most(4), checksum: Checksum? = nil) throws -> Job {
        guard let path = FilePath("target") else { throw TestServerError("a path") }
        var description = DownloadDescription(
            directory: places.downloads, target: path, checksums: [checksum].compactMap(\.self))
        description.fetch = FetchWishes()
        description.fetch?.segments = segments
        let new = NewJob(
            url: try TransferURL(url), description: .download(description), idempotencyKey: "k3y",
            expiresAt: Timestamp(rawValue: .max), createdAt: Timestamp(rawValue: 0))
        return Job(id: JobID(rawValue: 7), new: new, state: .running(since: Timestamp(rawValue: 0)))
    }

    func start(_ job: Job, progress: Progress = Progress()) {
        let assignment = Assignment(
            job: job, attempt: 1, origin: settings, route: nil, login: .anonymous, places: places,
            unknownOutcome: .hold, progress: progress)
        let lane = arc.state.withLock { state in
            state.ended[job.id] = nil
            state.assignments[job.id] = assignment
            return state.lanes[LaneID(rawValue: 1)]
        }
        lane?.start(assignment)
    }

    func end(of job: Job) async -> Ended {
        await withCheckedContinuation { continuation in
            let ended = arc.state.withLock { state in
                if let ended = state.ended[job.id] { return ended as Ended? }
                state.waiting[job.id] = continuation
                return nil
            }
            if let ended { continuation.resume(returning: ended) }
        }
    }

    func run(_ job: Job, progress: Progress = Progress()) async -> Ended {
        start(job, progress: progress)
        return await end(of: job)
    }

    /// Ends the job's own connection and those of the lanes that take part, as a stop of the daemon does.
    func interrupt(_ job: Job) {
        let lanes = arc.state.withLock { Array($0.lanes.values) }
        for lane in lanes { lane.interrupt(job.id) }
    }

    /// Calls one lane that takes part away, for good.
    func recallOne(of job: Job) {
        let lane = arc.state.withLock { state -> Lane? in
            state.wanted[job.id] = nil
            return state.joined.keys.min().flatMap { state.lanes[$0] }
        }
        lane?.interrupt(job.id)
    }

    /// The job as the table has it after that end.
    func next(_ job: Job, after ended: Ended, _ progress: Progress) -> Job {
        var job = job
        job.offset = progress.advance.offset
        job.missing = progress.advance.missing
        job.stage = ended.stage
        job.checkpoint = ended.checkpoint
        return job
    }

    /// The path of the target.
    var target: String { directory.appending("downloads/target") }
}
