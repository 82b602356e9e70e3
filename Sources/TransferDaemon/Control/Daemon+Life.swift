import Glibc
import TransferEngine
import TransferModel
import TransferSpool
import TransferStore

/// The daemon's life: start, reload, stop.
extension Daemon {
    /// Interruptions in a row without progress that end a job: more than a machine that is switched off and on makes.
    static let longestRow = 50

    /// How long after an end that left jobs running none is claimed ahead.
    static let cautiousTime: Duration = .seconds(60)

    /// Longest time from the first request to stop to the exit, whatever still runs.
    static let patience: Duration = .seconds(8)

    /// Takes up what an earlier run left, opens the watches and says READY. Throws when the daemon cannot run.
    func start() throws {
        let now = clock.now
        fleet.keepRates(of: settings)
        try RemoteResults.make(in: settings.places)
        try takeBack()
        duties.recordedTroubles = try table.troubles()
        try spool.open(now: now)
        let known = try table.spoolPaths()
        for path in known {
            guard let name = path.lastComponent else { continue }
            _ = spool.recover(SourceFile(root: .spool, path: path, name: name))
        }
        for file in spool.unrecorded(known: known) { admit(file) }
        let watches = Watches()
        if let descriptor = spool.descriptor {
            watches.add(descriptor) { [weak self] in self?.spoolChanged() }
        }
        let wake = try WakeWatch(settings.places)
        watches.add(wake.descriptor) { [weak self] in if wake.drain() { self?.woken() } }
        self.watches = watches
        signals = Signals(
            handler: { [weak self] in self?.received($0) }, ready: { [weak self] in self?.sayReady() })
        duties.rescanAt = now + settings.general.rescan
        duties.watchdogAt = service.watchdogInterval.map { now + $0 }
        planPolls()
        takeFromSpool(now)
        sweepResults()
        ledger.sweep()
        scheduleTurn()
    }

    private func sayReady() {
        service.ready()
        sayStatus()
        log(.information, "started state=\(settings.places.state) routes=\(settings.routes.count)")
    }

    private func takeBack() throws {
        let settings = settings
        let back = try table.takeBack(at: clock.wall, longestRow: Self.longestRow) { job in
            job.unknownOutcome(
                route: job.route.flatMap(settings.route), origin: settings.settings(for: job.origin))
        }
        if !back.isEmpty { scheduler.claimNothingAhead(until: clock.now + Self.cautiousTime) }
        for job in back {
            let isUnknown = job.lastFailure?.class == .unknownOutcome
            let outcome = isUnknown ? ", outcome unknown" : ""
            log(
                .information,
                "taken back\(outcome) id=\(job.id) state=\(job.state.name.rawValue) offset=\(job.offset)")
        }
    }

    private func received(_ number: Int32) {
        switch number {
        case SIGHUP: reload()
        case _ where duties.isStopping: Glibc._exit(1)
        case _: stop()
        }
    }

    // MARK: Stopping

    private func stop() {
        log(.information, "stopping running=\(fleet.running.count)")
        service.stopping()
        duties.leaveAt = clock.now + Self.patience
        duties.rescanAt = nil
        for (id, change) in fleet.progressed() { ledger.record(progress: change, of: id) }
        decide(.stopping)
        scheduleTurn()
    }

    /// Exits when nothing runs and everything is recorded, or when there is no more time. What is not recorded then
    /// is taken back at the next start. Without exit handlers: they would take libraries away from lanes that still run.
    func leaveIfDone() {
        guard let deadline = duties.leaveAt else { return }
        let isDone = fleet.running.isEmpty && ledger.isEmpty
        guard isDone || deadline <= clock.now else { return }
        log(
            .information,
            isDone ? "stopped" : "stopped with \(fleet.running.count) transfers not put down in time")
        Glibc._exit(0)
    }

    // MARK: Reloading

    /// Reads the configuration anew. One that cannot be used is reported, and the running one stays.
    private func reload() {
        service.reloading(at: clock.now)
        defer { service.ready() }
        do {
            let (new, credentials) = try load()
            if new.places != settings.places {
                log(
                    .warning,
                    "the directories of the configuration changed; they are taken over by a restart only")
            }
            var taken = new
            taken.places = settings.places
            settings = taken
            origins = OriginSettingsMemo(taken)
            self.credentials = credentials
            fleet.forgetServers()
            fleet.keepRates(of: taken)
            policy.attempts = new.general.attempts
            spool.replaceRoutes(
                taken.routes.filter(\.hasSpool), ignore: taken.general.ignore, now: clock.now)
            planPolls()
            decide(.reloaded(Scheduler.Limits(taken, origins)))
            duties.demands = true
            duties.troubles = true
            scheduleTurn()
            log(.information, "configuration read anew routes=\(taken.routes.count)")
        } catch {
            log(.error, "the configuration was not taken over, the running one stays: \(error)")
        }
    }
}

extension Scheduler.Limits {
    init(_ settings: Settings, _ origins: OriginSettingsMemo) {
        self.init(total: settings.general.lanes, perOrigin: { origins[$0].lanes })
    }
}
