import Glibc
import TransferModel
import TransferSpool
import TransferStore

/// What the daemon looks after besides moving jobs: the clock, the table's other writers, the spool, disposal.
extension Daemon {
    /// The alarm: everything whose time has come.
    func rang() {
        let now = clock.now
        if takes(&duties.watchdogAt, now, every: service.watchdogInterval) { service.alive() }
        if takes(&duties.rescanAt, now, every: settings.general.rescan) { rescan(now) }
        if let time = duties.progressAt, time <= now { recordProgress(now) }
        if let time = duties.expiryAt, time <= now {
            duties.expiryAt = nil
            duties.expiry = true
            ledger.sweep()
        }
        if let time = duties.lookAgainAt, time <= now {
            duties.lookAgainAt = nil
            lookAtTable()
        }
        noticeClock()
        poll(now)
        takeFromSpool(now)
        decide(.clock)
        scheduleTurn()
    }

    private func takes(_ time: inout MonotonicTime?, _ now: MonotonicTime, every interval: Duration?) -> Bool
    {
        guard let due = time, due <= now else { return false }
        time = interval.map { now + $0 }
        return true
    }

    func setAlarm() {
        var times = [duties.nextDeadline, scheduler.nextDeadline, ledger.retryAt]
        if !ledger.isBlocked && !duties.isStopping { times += [spool.nextDeadline, duties.polls.next] }
        if !ledger.isBlocked && duties.disposal { times.append(duties.disposalAt) }
        alarm.set(to: times.compactMap(\.self).min())
    }

    // MARK: Progress and status

    private func recordProgress(_ now: MonotonicTime) {
        ledger.recordStarts()
        for (id, change) in fleet.progressed() { ledger.record(progress: change, of: id) }
        duties.progressAt = fleet.running.isEmpty ? nil : now + .seconds(1)
        if duties.statusAt.map({ $0 <= now }) ?? true || fleet.running.isEmpty {
            duties.statusAt = now + .seconds(5)
            sayStatus()
        }
    }

    /// STATUS= for the service manager: what a person wants to know first.
    func sayStatus() {
        guard !duties.isStopping, !ledger.isBlocked, let counts = try? table.counts() else { return }
        let running = fleet.running.count
        let waiting = counts[.queued, default: 0]
        let held = counts[.held, default: 0]
        let heldText = held > 0 ? ", \(held) held for a person" : ""
        let stopped = scheduler.stoppedOrigins.map(\.description)
        let stoppedText = stopped.isEmpty ? "" : "; login refused by \(stopped.joined(separator: ", "))"
        let sentence =
            running + waiting == 0
            ? "Nothing to do\(heldText)" : "\(running) running, \(waiting) waiting\(heldText)\(stoppedText)"
        guard sentence != duties.saidStatus else { return }
        duties.saidStatus = sentence
        service.status(sentence)
    }

    /// A clock that was set: retry times beyond the longest back-off are clamped, due times are looked at again.
    private func noticeClock() {
        let skew = clock.wall.rawValue - clock.now.rawValue.wholeMilliseconds
        defer { duties.skew = skew }
        guard let before = duties.skew, abs(skew - before) > 2000 else { return }
        log(
            .warning,
            "the system's clock was set by \((skew - before) / 1000) s; waiting times are looked at again")
        ledger.sweep()
        duties.demands = true
        duties.expiry = true
    }

    // MARK: The table's other writers

    /// Something in the state directory changed.
    func woken() {
        duties.looks = WakeRetries.waits
        lookAtTable()
        scheduleTurn()
    }

    func lookAtTable() {
        guard (try? table.hasForeignChanges()) == true else {
            if !duties.looks.isEmpty { duties.lookAgainAt = clock.now + duties.looks.removeFirst() }
            return
        }
        duties.looks = []
        duties.demands = true
        duties.requests = true
        duties.rates = !fleet.running.isEmpty
        duties.disposal = true
        duties.expiry = true
    }

    /// Reads from the table what may have changed. Called at the end of a turn whose commit went through.
    func attend() throws(StoreError) {
        if duties.demands {
            let demands = try table.demands()
            duties.demands = false
            // An origin whose last job is gone troubles nobody, and may again with the next one.
            duties.troubles = true
            decide(.demanded(demands.map { .init(origin: $0.origin, due: clock.monotonic($0.nextDue)) }))
        }
        if duties.requests {
            let asked = try table.requests()
            duties.requests = false
            for job in asked { carry(job) }
        }
        if duties.rates {
            let known = try table.rates()
            duties.rates = false
            fleet.keepRates(known)
        }
        if duties.expiry {
            duties.expiryAt = try table.nextExpiry().map(clock.monotonic)
            duties.expiry = false
        }
        recordTroubles()
        if duties.disposal, duties.isStopping || duties.disposalAt <= clock.now { try dispose() }
    }

    /// Keeps what `status` says of origins true.
    private func recordTroubles() {
        guard duties.troubles else { return }
        duties.troubles = false
        let troubles = scheduler.troubles(wall: clock.wall)
        guard troubles != duties.recordedTroubles else { return }
        duties.recordedTroubles = troubles
        ledger.record(.troubled(troubles), isUrgent: true)
        scheduleTurn()
    }

    private func carry(_ job: Job) {
        guard let request = job.request else { return }
        guard fleet.running[job.id] != nil || scheduler.isWaiting(job.id) else {
            return answer(request, of: job)
        }
        fleet.note(request, of: job.id)
        log(.information, "\(request.rawValue) asked of a running job id=\(job.id)")
        decide(.asked(request, job.id))
    }

    /// A retry of a waiting job means its origin, too.
    private func answer(_ request: JobRequest, of job: Job) {
        guard request == .retry, job.state.name == .queued else { return }
        log(.information, "retry asked id=\(job.id) origin=\(job.origin)")
        ledger.record(.answered(job.id, state: nil), isUrgent: true)
        decide(.retried(job.origin))
        duties.troubles = true
        scheduleTurn()
    }
}
