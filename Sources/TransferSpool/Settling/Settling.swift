package import TransferModel

/// Decides when the files of one directory are whole: events in, names that are due out.
///
/// Moved in or linked: at once. Closed after writing: `settle` after the last close, restarted by a new open or write.
/// Found by a scan: when size, mtime and ctime stood still for ``stillness``. A file that somebody is known to have
/// open is not due until its close, whatever time passes.
package struct Settling: Sendable {
    package var settle: Duration
    private var entries: [FileName: Entry] = [:]
    private var due = DueQueue()
    private var departed: (cookie: UInt32, state: State?)?
    private var echoes: [FileName: Echo] = [:]

    package init(settle: Duration) { self.settle = settle }

    /// How many names wait.
    package var count: Int { entries.count }

    /// How many names wait for nothing but a close.
    package var awaitingClose: Int { entries.values.count { $0.state.deadline == nil } }

    /// Whether `name` waits already.
    package func knows(_ name: FileName) -> Bool { entries[name] != nil }

    /// When ``takeDue(at:limit:)`` should be called; may be early.
    package var nextDeadline: MonotonicTime? { due.first }

    /// The least time for which a file that no event announced must stand still, however short `settle` is.
    package static let leastStillness: Duration = .seconds(1)
    /// How long a file must stand still of which a writer was seen and whose close cannot be known.
    package static let longStillness: Duration = .seconds(60)

    package var stillness: Duration { max(settle, Self.leastStillness) }

    package mutating func handle(_ event: Event, of name: FileName, at now: MonotonicTime) {
        if swallowsEcho(event, of: name) { return }
        let state = entries[name]?.state
        switch event {
        case .created(let look): set(.found(look, until: now + stillness, trust: .still), for: name)
        case .linked: set(.quiet(until: now), for: name)
        case .opened: set(opened(state), for: name)
        case .closed(let written): closed(name, state, written: written, at: now)
        case .movedOut(let cookie): departed = (cookie, entries.removeValue(forKey: name)?.state)
        case .movedIn(let cookie): set(arrived(cookie: cookie, at: now), for: name)
        case .deleted: entries[name] = nil
        case .scanned(let look): if let next = scanned(state, look, at: now) { set(next, for: name) }
        }
    }

    /// Events were lost: nothing is known of what is open, and a scan of the whole directory follows.
    package mutating func eventsLost(at now: MonotonicTime) {
        departed = nil
        echoes = [:]
        for (name, entry) in entries {
            let trust: Trust = if case .open = entry.state { .proof } else { .still }
            set(.found(.unseen, until: now + stillness, trust: trust), for: name)
        }
    }

    /// Takes out up to `limit` names that are due, the longest due first.
    ///
    /// Who cannot claim one puts it back with ``handle(_:of:at:)``, ``foundBusy(_:at:)`` or ``unproven(_:look:at:)``,
    /// or leaves it out for good.
    package mutating func takeDue(at now: MonotonicTime, limit: Int) -> [Candidate] {
        var taken: [Candidate] = []
        while taken.count < limit, let (time, name) = due.pop(until: now) {
            guard var entry = entries[name], entry.queuedAt == time else { continue }
            guard let deadline = entry.state.deadline, deadline <= now else {
                entry.queuedAt = nil
                entries[name] = entry
                set(entry.state, for: name)
                continue
            }
            entries[name] = nil
            taken.append(candidate(name, entry.state))
        }
        return taken
    }

    /// The candidate could not be taken for a reason that was not its own; it is due as before.
    package mutating func putBack(_ candidate: Candidate, at now: MonotonicTime) {
        switch (candidate.expected, candidate.needsProof) {
        case (let look?, let needsProof):
            set(.found(look, until: now, trust: needsProof ? .proof : .still), for: candidate.name)
        case (nil, true):
            let probe = Probe(at: now, count: candidate.probes)
            set(.open(openers: 0, writer: true, probe: probe), for: candidate.name)
        case (nil, false): set(.quiet(until: now), for: candidate.name)
        }
    }

    /// A writer was met: the file waits for its close, and is probed again after 1, 2, 4 … 60 seconds.
    package mutating func foundBusy(_ candidate: Candidate, at now: MonotonicTime) {
        let wait = min(.seconds(1 << min(candidate.probes, 6)), Self.longStillness)
        let probe = Probe(at: now + wait, count: candidate.probes + 1)
        set(.open(openers: 0, writer: true, probe: probe), for: candidate.name)
        echoes[candidate.name] = Echo()
    }

    /// A proof was needed and the kernel could not give one: the file must look like this for a minute.
    package mutating func unproven(_ candidate: Candidate, look: Look, at now: MonotonicTime) {
        set(.found(look, until: now + Self.longStillness, trust: .longStill), for: candidate.name)
        echoes[candidate.name] = Echo()
    }
}

extension Settling {
    private struct Entry: Sendable {
        var state: State
        /// The earliest place in the queue that counts for this name; nil: none.
        var queuedAt: MonotonicTime?
    }

    /// The two events that our own look inside a file causes.
    private struct Echo: Sendable {
        var opened = false
    }

    private mutating func swallowsEcho(_ event: Event, of name: FileName) -> Bool {
        guard let echo = echoes[name] else { return false }
        if event == .opened, !echo.opened {
            echoes[name] = Echo(opened: true)
            return true
        }
        if event == .closed(written: false), echo.opened {
            echoes[name] = nil
            return true
        }
        if event == .deleted { echoes[name] = nil }
        return false
    }

    /// A later deadline is found when the earlier one comes up, so that restarts leave nothing behind in the queue.
    private mutating func set(_ state: State, for name: FileName) {
        var queuedAt = entries[name]?.queuedAt
        if let deadline = state.deadline, queuedAt.map({ deadline < $0 }) ?? true {
            due.push(name, at: deadline)
            queuedAt = deadline
        }
        entries[name] = Entry(state: state, queuedAt: queuedAt)
    }

    private func candidate(_ name: FileName, _ state: State) -> Candidate {
        switch state {
        case .open(_, _, let probe):
            Candidate(name: name, expected: nil, needsProof: true, probes: probe?.count ?? 0)
        case .quiet: Candidate(name: name, expected: nil, needsProof: false, probes: 0)
        case .found(let look, _, let trust):
            Candidate(name: name, expected: look, needsProof: trust == .proof, probes: 0)
        }
    }

    private func opened(_ state: State?) -> State {
        switch state {
        case .open(let openers, let writer, let probe):
            .open(openers: openers + 1, writer: writer, probe: probe)
        case .quiet: .open(openers: 1, writer: false, probe: nil)
        case .found, nil: .open(openers: 1, writer: true, probe: nil)
        }
    }

    private mutating func closed(
        _ name: FileName, _ state: State?, written: Bool, at now: MonotonicTime
    ) {
        switch (state, written) {
        case (.open(let openers, let writer, let probe), _):
            let left = max(0, openers - 1)
            let isLeft = writer && !written
            guard left > 0 || isLeft else { return set(.quiet(until: now + settle), for: name) }
            let doubtful = written || (left == 0 && probe == nil)
            let next = doubtful ? Probe(at: now + stillness, count: 0) : probe
            set(.open(openers: left, writer: isLeft, probe: next), for: name)
        case (.quiet, true), (.found, true), (nil, true): set(.quiet(until: now + settle), for: name)
        case (.quiet, false), (.found, false), (nil, false): break
        }
    }

    /// A file that was only renamed keeps its writer.
    private mutating func arrived(cookie: UInt32, at now: MonotonicTime) -> State {
        defer { departed = nil }
        guard let departed, departed.cookie == cookie, let state = departed.state else {
            return .quiet(until: now)
        }
        switch state {
        case .open: return state
        case .quiet, .found: return .quiet(until: now)
        }
    }

    private func scanned(_ state: State?, _ look: Look, at now: MonotonicTime) -> State? {
        switch state {
        case nil: .found(look, until: now + stillness, trust: .still)
        case .found(look, _, _), .open, .quiet: nil
        case .found(_, _, let trust): .found(look, until: now + rest(trust), trust: trust)
        }
    }

    private func rest(_ trust: Trust) -> Duration {
        switch trust {
        case .still, .proof: stillness
        case .longStill: Self.longStillness
        }
    }
}
