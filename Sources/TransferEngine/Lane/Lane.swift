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
    /// When it reads bodies itself.
    nonisolated let reading: ReadingTerms
    nonisolated let handover = Handover()
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
    /// Of the job that runs, or ran last.
    private(set) var terms: LaneTerms
    /// Whether the last request left its connection in order.
    var isInDialogue = false
    /// Whether that connection is in type I for certain (RFC 959, section 3.1.1).
    var isInImageType = false
    /// When the last answer came, over a connection that was kept, on the alarms' clock.
    var answeredAt: UInt64?
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

    public nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    /// `report` is called on the lane's queue. Nothing is opened before the first ``start(_:)``.
    public init(
        id: LaneID, origin: Origin, settings: OriginSettings, idleTimeout: Duration,
        memory: OriginMemory = OriginMemory(), reading: ReadingTerms = ReadingTerms(),
        report: @escaping @Sendable (LaneEvent) -> Void
    ) {
        self.reading = reading
        self.id = id
        self.origin = origin
        self.settings = settings
        terms = LaneTerms(origin.scheme, settings)
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
        if isOpen, !assignment.isPart, handover.give(assignment) { return }
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
        take(assignment)
        // A task that starts elsewhere would keep Dispatch's global queue, and so the process, awake.
        Task.immediate(executorPreference: executor) {
            if assignment.isPart { await self.takePart(assignment) } else { await self.carry(assignment) }
        }
    }

    private func take(_ assignment: Assignment) {
        alarms?.clear(.idle)
        self.assignment = assignment
        terms = LaneTerms(origin.scheme, assignment.origin)
        isOldDigest = digest != nil
        warnOfClearPassword(assignment)
        stage = assignment.job.stage
        checkpoint = assignment.job.checkpoint
    }

    private func carry(_ first: Assignment) async {
        var current: Assignment? = first
        while let assignment = current {
            let outcome = await carryOne(assignment)
            self.assignment = nil
            current = nextAtOnce(after: outcome)
            if let current { take(current) }
        }
        becomeFree()
    }

    /// How long a lane waits for the next job after a small one, in milliseconds.
    private static let handoverTime = 10
    private static let smallJob = ByteCount(1 << 16)

    private func nextAtOnce(after outcome: Outcome) -> Assignment? {
        guard next == nil, case .arrived(let arrival) = outcome, arrival.size <= Self.smallJob,
            !closesWhenFree
        else {
            return handover.take(within: 0)
        }
        return handover.take(within: Self.handoverTime)
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
        guard assignment != nil else { return }
        try await wait(for: requestCommit(stage, checkpoint))
    }

    /// Has stage and checkpoint recorded; the licence is granted when they are durable.
    func requestCommit(_ stage: Stage, _ checkpoint: Checkpoint) -> Licence {
        let licence = Licence()
        guard let job = assignment?.job.id else { return licence }
        keep(stage, checkpoint)
        report(.staged(job, stage, checkpoint, durable: { licence.grant() }))
        return licence
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
