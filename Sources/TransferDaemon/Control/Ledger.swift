import TransferModel
import TransferStore

/// What is still to be recorded: everything of one turn of the control queue becomes one commit.
///
/// While another program holds the table, or its disk is full, the turn waits here, in memory, and is tried again;
/// nothing that waits for durability goes on before it is.
@ControlActor final class Ledger {
    /// What a flush came to.
    enum Flushed {
        case nothing
        /// Nobody waits for what there is: it is kept until ``Ledger/retryAt`` for what may come with it.
        case waiting
        case committed(Committed, claims: [Turn.Claim])
        /// It has to wait; a sentence says for whom or what.
        case blocked(String, since: MonotonicTime)
    }

    private let table: JobTable
    private var changes: [JobChange] = []
    private var progress: [JobID: JobChange] = [:]
    /// When attempts began of which the table does not know yet.
    private var starts: [JobID: Timestamp] = [:]
    private var claims: [Origin: Turn.Claim] = [:]
    private var sweeps = false
    private var whenDurable: [@Sendable () -> Void] = []
    private var blocked: (reason: String, since: MonotonicTime)?
    private(set) var retryAt: MonotonicTime?
    /// Whether somebody waits for the next commit.
    private var isUrgent = false

    /// How long what nobody waits for is kept, so that it goes with the next commit that somebody waits for: of small
    /// files each is done within a few milliseconds, and a commit costs as much as sending one of them.
    static let longestWait = Duration.milliseconds(5)

    init(table: JobTable) { self.table = table }

    var isBlocked: Bool { blocked != nil }
    /// Whether nothing waits to be recorded but that attempts began.
    var isEmpty: Bool { changes.isEmpty && progress.isEmpty && claims.isEmpty && !sweeps }

    /// `durable` is called after the commit that holds the change; the change is urgent then.
    func record(_ change: JobChange, isUrgent: Bool = false, durable: (@Sendable () -> Void)? = nil) {
        if let id = change.attempt, let time = starts.removeValue(forKey: id) {
            changes.append(.started(id, at: time))
        }
        changes.append(change)
        if isUrgent || durable != nil { self.isUrgent = true }
        if let durable { whenDurable.append(durable) }
    }

    /// The attempt of a job that was claimed ahead began. It is recorded with the next that becomes of it, or by
    /// ``recordStarts()``: most small files have arrived by then, and their rows are written once less.
    func record(start id: JobID, at time: Timestamp) { starts[id] = time }

    /// Records attempts that have begun and of which nothing else has become yet.
    func recordStarts() {
        for (id, time) in starts { changes.append(.started(id, at: time)) }
        starts = [:]
    }

    /// The latest progress of a running job; an earlier one that was not recorded yet is forgotten.
    func record(progress change: JobChange, of id: JobID) { progress[id] = change }

    /// What the end of an attempt says is newer.
    func forgetProgress(of id: JobID) { progress[id] = nil }

    func claim(_ origin: Origin, count: Int, ahead: Int) {
        let earlier = claims[origin]
        claims[origin] = Turn.Claim(
            origin: origin, count: (earlier?.count ?? 0) + count, ahead: (earlier?.ahead ?? 0) + ahead)
        if count > 0 { isUrgent = true }
    }

    func sweep() {
        sweeps = true
        isUrgent = true
    }

    /// Commits what there is, unless it is not urgent and `waits`. Throws for a table that can no longer be used.
    func flush(at wall: Timestamp, now: MonotonicTime, waits: Bool) throws(StoreError) -> Flushed {
        if let retryAt, now < retryAt {
            if let blocked { return .blocked(blocked.reason, since: blocked.since) }
            if waits, !isUrgent { return .waiting }
        } else if retryAt == nil, waits, !isUrgent, !isEmpty {
            retryAt = now + Self.longestWait
            return .waiting
        }
        let asked = Array(claims.values)
        let turn = Turn(changes: changes + progress.values, claims: asked, sweeps: sweeps)
        guard !turn.isEmpty else { return .nothing }
        do {
            let committed = try table.commit(turn, at: wall)
            let waiting = whenDurable
            clear()
            for durable in waiting { durable() }
            return .committed(committed, claims: asked)
        } catch .busy(let reason), .environment(let reason) {
            let since = blocked?.since ?? now
            blocked = (reason, since)
            retryAt = now + min(max(now.since(since) / 4, .milliseconds(10)), .milliseconds(500))
            return .blocked(reason, since: since)
        } catch {
            throw error
        }
    }

    private func clear() {
        changes.removeAll(keepingCapacity: true)
        progress.removeAll(keepingCapacity: true)
        claims.removeAll(keepingCapacity: true)
        whenDurable.removeAll(keepingCapacity: true)
        sweeps = false
        isUrgent = false
        blocked = nil
        retryAt = nil
    }
}

extension JobChange {
    /// The job whose attempt goes on or ends with it.
    fileprivate var attempt: JobID? {
        switch self {
        case .staged(let id, _, _, _), .ended(let id, _): id
        case .admitted, .renewed, .polled, .progressed, .started, .returned, .answered, .troubled, .disposed:
            nil
        }
    }
}
