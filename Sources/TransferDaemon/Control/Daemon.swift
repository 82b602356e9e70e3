import Dispatch
import Glibc
import TransferConfiguration
import TransferEngine
import TransferModel
import TransferSpool
import TransferStore

/// The daemon: brings what happened to the scheduler, does what it says, and records it.
///
/// What happens during one turn of the control queue is decided at once and recorded together at the turn's end
/// (``turn()``), in one commit.
@ControlActor final class Daemon {
    var settings: Settings
    /// Of ``settings``.
    var origins: OriginSettingsMemo
    var credentials: CredentialsTable
    let load: () throws -> (Settings, CredentialsTable)
    let log: Log
    let clock = Clock()
    let service = ServiceManager()
    let table: JobTable
    let ledger: Ledger
    let spool: Spool
    lazy var fleet = Fleet { event in ControlActor.enqueue { [weak self] in self?.happened(event) } }
    lazy var alarm = Alarm { [weak self] in self?.rang() }
    var scheduler: Scheduler
    var policy: RetryPolicy
    var watches: Watches?
    var signals: Signals?
    var duties = Duties()
    private var isTurnDue = false

    init(
        settings: Settings, credentials: CredentialsTable, table: JobTable, log: Log,
        load: @escaping () throws -> (Settings, CredentialsTable)
    ) {
        self.settings = settings
        origins = OriginSettingsMemo(settings)
        self.credentials = credentials
        self.table = table
        self.log = log
        self.load = load
        ledger = Ledger(table: table)
        policy = RetryPolicy(attempts: settings.general.attempts)
        scheduler = Scheduler(limits: Scheduler.Limits(settings, origins), policy: policy)
        spool = Spool(
            places: settings.places, routes: settings.routes.filter(\.hasSpool),
            ignore: settings.general.ignore,
            log: { notice in log.write(notice.severity.rawValue, notice.text) })
    }

    // MARK: What happened

    /// A lane's news.
    func happened(_ event: LaneEvent) {
        switch event {
        case .staged(let id, let stage, let checkpoint, let durable):
            // A download that starts again into a new file must not keep the offset of the old one.
            let moved = fleet.moved(id)
            ledger.forgetProgress(of: id)
            _ = fleet.note(checkpoint, of: id)
            ledger.record(.staged(id, stage, checkpoint, moved), durable: durable)
        case .ended(let lane, let id, let outcome, let stage, let checkpoint):
            // The end itself records the stage.
            if fleet.note(checkpoint, of: id) { ledger.record(.staged(id, stage, checkpoint)) }
            end(id, on: lane, outcome, stage: stage)
        case .divisible(let id, let lanes): decide(.divisible(id, lanes: lanes))
        case .parted(let lane, let id, let failure): decide(.parted(lane, id, failure))
        case .left(let job, let path): admitRemoval(of: path, leftBy: job)
        case .listed(let job, let files, let unreadable): listed(files, by: job, unreadable: unreadable)
        case .closed(let lane):
            fleet.closed(lane)
            decide(.laneClosed(lane))
        case .notice(let severity, let text):
            log.write(severity, text)
        }
        scheduleTurn()
    }

    private func end(_ id: JobID, on lane: LaneID, _ outcome: Outcome, stage: Stage) {
        guard let run = fleet.ended(id) else { return }
        let reached = RetryPolicy.Reached(run.assignment.progress.advance, stage: stage)
        let ending = policy.ending(
            of: run.job, outcome: outcome, reached: reached, unknownOutcome: run.unknownOutcome,
            now: clock.wall, spread: outcome.spread)
        ledger.forgetProgress(of: id)
        ledger.record(.ended(id, ending), isUrgent: ending.state.name != .done)
        noteEnd(ending, of: run.job)
        say(ending, of: run.job)
        decide(.ended(lane, id, outcome, spread: outcome.spread))
        if outcome.concernsOrigin || duties.recordedTroubles.contains(where: { $0.origin == run.job.origin })
        {
            duties.troubles = true
        }
        if case .queued(let retryAt) = ending.state {
            decide(.due(run.job.origin, clock.monotonic(retryAt ?? clock.wall)))
        }
        if ending.state.name.isFinal, !run.job.disposed || ending.state.name != .done {
            duties.disposal = true
        }
    }

    // MARK: Deciding and doing

    func decide(_ event: Scheduler.Event) {
        for action in scheduler.handle(event, now: clock.now) { perform(action) }
    }

    private func perform(_ action: Scheduler.Action) {
        switch action {
        case .claim(let origin, let count, let ahead): ledger.claim(origin, count: count, ahead: ahead)
        case .open(let lane, let origin):
            fleet.open(
                lane, to: origin, settings: origins[origin], idleTimeout: settings.general.idleTimeout)
        case .start(let job, let lane): start(job, on: lane)
        case .join(let job, let lane): fleet.join(job, on: lane)
        case .cancel(let lane, let job): fleet.cancel(job, on: lane)
        case .interrupt(let lane, let job): fleet.interrupt(job, on: lane)
        case .close(let lane): fleet.close(lane)
        case .giveBack(let job): giveBack(job)
        case .notice(let severity, let text): log.write(severity, text)
        }
        scheduleTurn()
    }

    private func start(_ job: Job, on lane: LaneID) {
        var job = job
        if job.isAhead {
            ledger.record(start: job.id, at: clock.wall)
            job.isAhead = false
        }
        fleet.start(
            job, on: lane, origin: origins[job.origin], settings: settings, credentials: credentials)
        duties.progressAt = duties.progressAt ?? clock.now + .seconds(1)
    }

    private func giveBack(_ job: Job) {
        ledger.record(.returned(job.id), isUrgent: true)
        duties.demands = true
    }

    // MARK: The turn

    /// The end of the turn comes after everything that is queued already.
    func scheduleTurn() {
        guard !isTurnDue else { return }
        isTurnDue = true
        ControlActor.enqueue { [weak self] in self?.turn() }
    }

    private func turn() {
        isTurnDue = false
        do throws(StoreError) {
            let waits = !fleet.running.isEmpty && !duties.demands && !duties.requests
            switch try ledger.flush(at: clock.wall, now: clock.now, waits: waits) {
            case .nothing: break
            case .waiting: return setAlarm()
            case .committed(let committed, let claims): take(committed, claims)
            case .blocked(let reason, let since): report(reason, since: since)
            }
            if !ledger.isBlocked { try attend() }
        } catch .busy {
            duties.lookAgainAt = clock.now + .milliseconds(20)
        } catch .environment(let reason) {
            duties.lookAgainAt = clock.now + .seconds(1)
            report(reason, since: MonotonicTime(rawValue: .zero))
        } catch {
            log(.error, "the job table can no longer be used: \(error)")
            Glibc._exit(1)
        }
        leaveIfDone()
        setAlarm()
    }

    private func take(_ committed: Committed, _ claims: [Turn.Claim]) {
        if duties.saidBlocked {
            duties.saidBlocked = false
            log(.information, "the job table can be written again; everything that waited is recorded")
        }
        let jobs = Dictionary(grouping: committed.claimed, by: \.origin)
        for claim in claims {
            let found = jobs[claim.origin] ?? []
            if found.count < claim.count + claim.ahead { duties.demands = true }
            decide(.claimed(claim.origin, found, asked: claim.count, ahead: claim.ahead))
        }
        for id in committed.expired {
            log(.warning, "job expired id=\(id)")
            duties.demands = true
            duties.disposal = true
        }
        if committed.hasReleased { duties.demands = true }
        if !committed.admitted.isEmpty { duties.expiry = true }
    }

    private func report(_ reason: String, since: MonotonicTime) {
        guard !duties.saidBlocked, clock.now.since(since) > .seconds(1) else { return }
        duties.saidBlocked = true
        log(.warning, "\(reason); transfers go on and are recorded as soon as that is possible")
        service.status("Waiting to record: \(reason)")
    }
}

extension Outcome {
    /// Whether it says of the origin that it cannot be used.
    fileprivate var concernsOrigin: Bool {
        if case .failed(let failure) = self { failure.scope != .job } else { false }
    }

    /// The share of chance in how long a failure has to wait.
    fileprivate var spread: Double {
        if case .failed = self { Double.random(in: 0..<1) } else { 0 }
    }
}
