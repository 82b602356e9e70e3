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
        case committed(Committed, claims: [Turn.Claim])
        /// It has to wait; a sentence says for whom or what.
        case blocked(String, since: MonotonicTime)
    }

    private let table: JobTable
    private var changes: [JobChange] = []
    private var progress: [JobID: JobChange] = [:]
    private var claims: [Origin: Int] = [:]
    private var sweeps = false
    private var whenDurable: [@Sendable () -> Void] = []
    private var blocked: (reason: String, since: MonotonicTime)?
    private(set) var retryAt: MonotonicTime?

    init(table: JobTable) { self.table = table }

    var isBlocked: Bool { blocked != nil }
    var isEmpty: Bool { changes.isEmpty && progress.isEmpty && claims.isEmpty && !sweeps }

    /// `durable` is called after the commit that holds the change.
    func record(_ change: JobChange, durable: (@Sendable () -> Void)? = nil) {
        changes.append(change)
        if let durable { whenDurable.append(durable) }
    }

    /// The latest progress of a running job; an earlier one that was not recorded yet is forgotten.
    func record(progress change: JobChange, of id: JobID) { progress[id] = change }

    /// What the end of an attempt says is newer.
    func forgetProgress(of id: JobID) { progress[id] = nil }

    func claim(_ origin: Origin, count: Int) { claims[origin, default: 0] += count }

    func sweep() { sweeps = true }

    /// Commits what there is. Throws for a table that can no longer be used.
    func flush(at wall: Timestamp, now: MonotonicTime) throws(StoreError) -> Flushed {
        if let retryAt, now < retryAt, let blocked { return .blocked(blocked.reason, since: blocked.since) }
        let asked = claims.map { Turn.Claim(origin: $0.key, count: $0.value) }
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
        blocked = nil
        retryAt = nil
    }
}
