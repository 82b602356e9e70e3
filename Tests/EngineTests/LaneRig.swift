import Synchronization
import TestServers
import TransferModel

@testable import TransferEngine

/// How an attempt ended, with what its end records.
struct Ended: Sendable {
    let outcome: Outcome
    let stage: Stage
    let checkpoint: Checkpoint

    var failure: Failure? {
        if case .failed(let failure) = outcome { failure } else { nil }
    }

    var hasArrived: Bool {
        if case .arrived = outcome { true } else { false }
    }
}

/// One lane to one server, with a spool directory and the part of the daemon: every stage is durable at once.
final class LaneRig: Sendable {
    private struct State {
        var waiting: [JobID: CheckedContinuation<Ended, Never>] = [:]
        var ended: [JobID: Ended] = [:]
        var stages: [Stage] = []
        var notices: [String] = []
        var left: [FilePath] = []
        var isClosed = false
        var nextJob: Int64 = 1
        var isDurable: Bool
    }

    let directory: TemporaryDirectory
    let places: Places
    let origin: Origin
    let settings: OriginSettings
    let login: CredentialsTable.Login
    let proxyLogin: Credentials?
    let lane: Lane
    private let state: Arc

    private final class Arc: Sendable {
        let state: Mutex<State>

        init(isDurable: Bool) { state = Mutex(State(isDurable: isDurable)) }
    }

    init(
        _ directory: TemporaryDirectory, url: String, settings: OriginSettings = OriginSettings(name: "test"),
        login: CredentialsTable.Login = .anonymous, proxyLogin: Credentials? = nil,
        memory: OriginMemory = OriginMemory(), idleTimeout: Duration = .seconds(600), isDurable: Bool = true,
        downloads: String? = nil, reading: ReadingTerms = ReadingTerms()
    ) throws {
        self.directory = directory
        try directory.makeDirectory("spool")
        try directory.makeDirectory("downloads")
        guard let path = FilePath(directory.path) else { throw TestServerError("a path") }
        var places = Places(below: path)
        if let downloads = downloads.flatMap({ FilePath($0) }) {
            places.downloads = downloads
            places.downloadDirectories = [downloads]
        }
        self.places = places
        origin = try TransferURL(url).origin
        self.settings = settings
        self.login = login
        self.proxyLogin = proxyLogin
        let state = Arc(isDurable: isDurable)
        self.state = state
        lane = Lane(
            id: LaneID(rawValue: 1), origin: origin, settings: settings, idleTimeout: idleTimeout,
            memory: memory, reading: reading
        ) {
            Self.take($0, state)
        }
    }

    deinit { lane.close() }

    private static func take(_ event: LaneEvent, _ arc: Arc) {
        switch event {
        case .staged(_, let stage, _, let durable):
            let isDurable = arc.state.withLock { state in
                state.stages.append(stage)
                return state.isDurable
            }
            if isDurable { durable?() }
        case .ended(_, let job, let outcome, let stage, let checkpoint):
            let ended = Ended(outcome: outcome, stage: stage, checkpoint: checkpoint)
            arc.state.withLock { state in
                state.ended[job] = ended
                return state.waiting.removeValue(forKey: job)
            }?.resume(returning: ended)
        case .left(_, let path): arc.state.withLock { $0.left.append(path) }
        case .divisible, .parted, .listed: break
        case .closed: arc.state.withLock { $0.isClosed = true }
        case .notice(_, let text): arc.state.withLock { $0.notices.append(text) }
        }
    }

    /// What is recorded from now on is durable at once, or never.
    func setDurable(_ isDurable: Bool) { state.state.withLock { $0.isDurable = isDurable } }

    var stages: [Stage] { state.state.withLock { $0.stages } }
    var notices: [String] { state.state.withLock { $0.notices } }
    /// What stands at the server and could not be removed.
    var left: [FilePath] { state.state.withLock { $0.left } }
    var isClosed: Bool { state.state.withLock { $0.isClosed } }
    func hasEnded(_ job: JobID) -> Bool { state.state.withLock { $0.ended[job] != nil } }

    // MARK: Jobs

    /// A file in the spool.
    func source(_ content: TestContent, name: [UInt8] = Array("file.bin".utf8)) throws -> SourceFile {
        let path = Array("\(directory.path)/spool/".utf8) + name
        guard let name = FileName(bytes: name) else { throw TestServerError("a name") }
        try TestFile.write(content.bytes, rawPath: path)
        return SourceFile(root: .spool, path: FilePath(name), name: name)
    }

    func upload(
        _ source: SourceFile, to url: String, id: Int64? = nil, stage: Stage = .sending,
        checkpoint: Checkpoint = Checkpoint(), delivery: DeliveryWishes? = nil
    ) throws -> Job {
        let next = nextNumber()
        let number = id ?? next
        let new = NewJob(
            url: try TransferURL(url),
            description: .upload(UploadDescription(source: source, delivery: delivery)),
            idempotencyKey: "k3y-\(number)", expiresAt: Timestamp(rawValue: .max),
            createdAt: Timestamp(rawValue: 0))
        return Job(
            id: JobID(rawValue: number), new: new, state: .running(since: Timestamp(rawValue: 0)),
            stage: stage,
            checkpoint: checkpoint)
    }

    /// A number that no other job of the rig has.
    func nextNumber() -> Int64 {
        state.state.withLock { state in
            defer { state.nextJob += 1 }
            return state.nextJob
        }
    }

    func start(_ job: Job, progress: Progress = Progress(), rates: Rates = Rates()) {
        lane.start(
            Assignment(
                job: job, attempt: 1, origin: settings, route: nil, login: login, proxyLogin: proxyLogin,
                places: places,
                unknownOutcome: .hold, progress: progress, rates: rates))
    }

    /// The end of a job that was started.
    func end(of job: Job) async -> Ended {
        await withCheckedContinuation { continuation in
            let ended = state.state.withLock { state in
                if let ended = state.ended[job.id] { return ended as Ended? }
                state.waiting[job.id] = continuation
                return nil
            }
            if let ended { continuation.resume(returning: ended) }
        }
    }

    func run(_ job: Job, progress: Progress = Progress()) async -> Ended {
        state.state.withLock { $0.ended[job.id] = nil }
        start(job, progress: progress)
        return await end(of: job)
    }

    /// The job as the table has it after that end, with the offset that was recorded.
    func next(_ job: Job, after ended: Ended, offset: Int? = nil) -> Job {
        var job = job
        if let offset { job.offset = ByteCount(offset) }
        job.stage = ended.stage
        job.checkpoint = ended.checkpoint
        return job
    }
}
