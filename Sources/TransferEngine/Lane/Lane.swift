internal import Dispatch
public import TransferModel

/// One connection to one origin, with a queue of its own: carries one job at a time, through all its steps.
///
/// libcurl waits for some replies blocking, so nothing else ever runs on a lane's queue, and what must not wait for it
/// (``cancel(_:)``, ``interrupt(_:)``, ``close()``) breaks the connection from outside.
public actor Lane {
    public nonisolated let id: LaneID
    public nonisolated let origin: Origin
    nonisolated let executor: SerialQueueExecutor
    nonisolated let control = LaneControl()
    private nonisolated let idleTimeout: Duration
    private nonisolated let emit: @Sendable (LaneEvent) -> Void
    private nonisolated let settings: OriginSettings
    /// What all lanes to this origin know of the server.
    nonisolated let memory: OriginMemory

    private(set) var alarms: LaneAlarms?
    private(set) var loop: TransferLoop?
    /// What the lane speaks where libcurl only connects.
    var sftp: SFTPConnection? {
        didSet { control.setSignal(sftp?.wake) }
    }
    /// The attempt that runs, or whose remains are being removed.
    private(set) var assignment: Assignment?
    /// Started while the remains of the last one were being removed.
    private var next: Assignment?
    /// What the job's end will record.
    private(set) var stage = Stage.sending
    private(set) var checkpoint = Checkpoint()
    /// How TLS sessions are used while it is found out what the server wants; nil: as its memory says.
    var sessionTrial: OriginMemory.SessionReuse?
    /// The job that runs tries it with ``holdsGreeting``.
    var holdsGreetingForTrial = false
    /// Whether the connection, where it is secured, has had a data connection beside it.
    var hasCarriedData = false
    /// The last request's data connection was refused for its TLS session.
    var dataRefusal: DataRefusal?
    /// Whether the last request of the job that runs left its connection in order.
    var isInDialogue = false
    /// Whether the last one's data connection ended before the server was told what it is for.
    var hasGreetedTooEarly = false
    /// How the web server wants to be told who we are, once it has said so.
    var digest: DigestLogin?
    /// Whether that was for an earlier job, and the server may have forgotten it.
    var isOldDigest = false
    /// Ends the wait that the worker is in, for a stop.
    var breakWait: (() -> Void)?
    var alarmActions: [LaneAlarms.Alarm: () -> Void] = [:]

    /// How long the removal of a job's remains may take.
    static let cleanupTime = Duration.seconds(5)

    /// How long a job that is to end waits for its stage to be recorded.
    private static let retreatTime = Duration.milliseconds(500)

    public nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    /// `report` is called on the lane's queue. Nothing is opened before the first ``start(_:)``.
    public init(
        id: LaneID, origin: Origin, settings: OriginSettings, idleTimeout: Duration,
        memory: OriginMemory = OriginMemory(), report: @escaping @Sendable (LaneEvent) -> Void
    ) {
        self.id = id
        self.origin = origin
        self.settings = settings
        self.idleTimeout = idleTimeout
        self.memory = memory
        emit = report
        executor = SerialQueueExecutor(label: "transferd.lane.\(id.rawValue)")
    }

    // MARK: Called from other queues

    /// Carries `assignment`, whose origin is the lane's, and reports its end; one at a time. A lane that has just closed
    /// itself ends it as interrupted.
    public nonisolated func start(_ assignment: Assignment) {
        let isOpen = control.begin(assignment.job.id)
        onQueue { lane in
            if isOpen {
                lane.accept(assignment)
            } else if assignment.isPart {
                lane.report(.parted(lane.id, assignment.job.id, nil))
            } else {
                let job = assignment.job
                lane.report(
                    .ended(lane.id, job.id, .interrupted, stage: job.stage, checkpoint: job.checkpoint))
            }
        }
    }

    /// The job ends as cancelled within a second, whatever its server does; nothing when it does not run here.
    public nonisolated func cancel(_ job: JobID) { stop(job, .cancelled) }

    /// The job ends as interrupted within a second, to go on later; nothing when it does not run here.
    public nonisolated func interrupt(_ job: JobID) { stop(job, .interrupted) }

    /// Breaks the connection and reports `closed`; a job that runs ends as interrupted before that.
    public nonisolated func close() {
        _ = control.stop(nil, .interrupted)
        control.cutConnection()
        onQueue { lane in
            lane.applyStop()
            lane.closesWhenFree = true
            lane.closeIfFree()
        }
    }

    private nonisolated func stop(_ job: JobID, _ reason: Stop) {
        guard control.stop(job, reason) else { return }
        onQueue { $0.applyStop() }
    }

    /// Runs `body` on the lane's queue, isolated to the lane.
    nonisolated func onQueue(_ body: @escaping @Sendable (isolated Lane) -> Void) {
        executor.queue.async { self.assumeIsolated { body($0) } }
    }

    // MARK: A job's course

    private var closesWhenFree = false

    private func accept(_ assignment: Assignment) {
        if self.assignment != nil {
            next = assignment
            return
        }
        alarms?.clear(.idle)
        self.assignment = assignment
        isInDialogue = false
        isOldDigest = digest != nil
        warnOfClearPassword(assignment)
        stage = assignment.job.stage
        checkpoint = assignment.job.checkpoint
        // A task that starts elsewhere would keep Dispatch's global queue, and so the process, awake.
        Task.immediate(executorPreference: executor) {
            if assignment.isPart { await self.takePart(assignment) } else { await self.carry(assignment) }
        }
    }

    private func warnOfClearPassword(_ assignment: Assignment) {
        guard case .credentials = assignment.login, [.ftp, .http].contains(origin.scheme),
            origin.scheme == .http || originSettings.tls == .off,
            origin.scheme == .ftp || assignment.request.authentication != .digest,
            memory.isNew(.clearPassword)
        else { return }
        let advice = origin.scheme == .ftp ? "set 'tls = require'" : "use https://"
        let secret = assignment.request.authentication == .bearer ? "token" : "password"
        report(.notice(severity: 4, text: "the \(secret) for \(origin) travels in clear; \(advice)"))
    }

    private func carry(_ assignment: Assignment) async {
        let (worker, outcome) = await run(assignment)
        let mayDiscard = outcome.leavesRemains ? await leaveRenaming(of: assignment.job.id) : false
        let remains = checkpoint
        // The end says that nothing is left: what cannot be removed now is reported after it.
        if mayDiscard, remains.remains != nil { checkpoint.remoteTemporary = nil }
        control.end(assignment.job.id)
        report(.ended(id, assignment.job.id, outcome, stage: stage, checkpoint: checkpoint))
        if mayDiscard { await worker.discard(remains, on: self) }
        self.assignment = nil
        becomeFree()
    }

    /// Helps another lane with its job, whose end is that lane's to report.
    private func takePart(_ assignment: Assignment) async {
        var failure: Failure?
        do {
            try checkStop()
            try await SegmentWorker(assignment).run(on: self)
        } catch {
            failure = error as? Failure
        }
        control.end(assignment.job.id)
        report(.parted(id, assignment.job.id, failure))
        self.assignment = nil
        becomeFree()
    }

    /// A job in stage `renaming` whose temporary file is gone counts as done when the final name is there. So the stage
    /// is left, durably, before the file is removed; false when that could not be had in time, and the file stays.
    private func leaveRenaming(of job: JobID) async -> Bool {
        guard stage == .renaming else { return true }
        checkpoint.verified = nil
        keep(.sending, checkpoint)
        let isDurable = await withCheckedContinuation { (continuation: CheckedContinuation<Bool?, Never>) in
            let once = OnceOnly(continuation)
            setAlarm(.pause, after: Self.retreatTime) { once.resume(false) }
            report(.staged(job, .sending, checkpoint, durable: { once.resume(true) }))
        }
        return isDurable ?? false
    }

    private func becomeFree() {
        if let next {
            self.next = nil
            accept(next)
        } else if closesWhenFree || idleTimeout <= .zero {
            closeIfFree()
        } else if !control.isClosed {
            setAlarm(.idle, after: idleTimeout) { self.idleTooLong() }
        }
    }

    private func idleTooLong() {
        // A job that was started a moment ago, on another queue, is taken instead.
        guard assignment == nil, control.close(always: false) else { return }
        release()
    }

    private func closeIfFree() {
        guard assignment == nil, next == nil, !control.isClosed, control.close(always: false) else { return }
        release()
    }

    private func release() {
        sftp = nil
        loop = nil
        alarms = nil
        alarmActions = [:]
        report(.closed(id))
    }

    // MARK: For workers

    func report(_ event: LaneEvent) { emit(event) }

    /// Throws when the running job is to stop.
    func checkStop() throws(Stop) {
        if let stop = control.stop { throw stop }
    }

    private func applyStop() {
        guard control.stop != nil else { return }
        loop?.abandon()
        let wake = breakWait
        breakWait = nil
        wake?()
    }

    /// Keeps stage and checkpoint for the job's end, and asks for them to be recorded without waiting for it.
    func record(_ stage: Stage, _ checkpoint: Checkpoint) {
        keep(stage, checkpoint)
        guard let assignment else { return }
        report(.staged(assignment.job.id, stage, checkpoint, durable: nil))
    }

    /// Keeps stage and checkpoint for the job's end only.
    func keep(_ stage: Stage, _ checkpoint: Checkpoint) {
        self.stage = stage
        self.checkpoint = checkpoint
    }

    /// Goes on when stage and checkpoint are durable.
    func commit(_ stage: Stage, _ checkpoint: Checkpoint) async throws(Stop) {
        guard let job = assignment?.job.id else { return }
        keep(stage, checkpoint)
        try await wait { (done: @escaping @Sendable (()) -> Void) in
            report(.staged(job, stage, checkpoint, durable: { done(()) }))
        }
    }

    /// The transfer that waits for a body source or sink goes on; from any queue.
    nonisolated func resume() {
        guard !control.wake() else { return }
        onQueue { $0.loop?.resume() }
    }

    /// Opened with the first job, so that a lane costs nothing before.
    func opened() -> (TransferLoop, LaneAlarms) {
        if let loop, let alarms { return (loop, alarms) }
        let alarms = LaneAlarms(queue: executor.queue) { [weak self] in
            self?.assumeIsolated { $0.alarmsFired() }
        }
        let sockets = SocketSet(queue: executor.queue) { [weak self] in
            self?.assumeIsolated { $0.loop?.socketsReady() }
        }
        let loop = TransferLoop(control: control, alarms: alarms, sockets: sockets) { [weak self] in
            self?.onQueue { $0.loop?.proceed() }
        }
        self.alarms = alarms
        self.loop = loop
        return (loop, alarms)
    }

    /// As they are for the job that runs.
    var originSettings: OriginSettings { assignment?.origin ?? settings }
}

extension Outcome {
    /// Whether something may stand somewhere that nobody will go on with.
    fileprivate var leavesRemains: Bool {
        switch self {
        case .cancelled: true
        case .failed(let failure): failure.class == .permanent && failure.scope == .job
        case .arrived, .interrupted: false
        }
    }
}
