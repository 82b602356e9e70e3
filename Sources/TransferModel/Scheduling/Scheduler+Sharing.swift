/// Lanes that take part in jobs of others: they join where nothing else is to do, and leave as soon as there is.
extension Scheduler {
    /// Lanes to these origins, and to no others, may join the running job from now on.
    mutating func share(_ job: JobID, among lanes: [Origin: Int]) {
        guard lane(of: job) != nil else { return }
        for origin in origins.keys where lanes[origin] == nil { origins[origin]?.parts.want(0, for: job) }
        for (origin, count) in lanes { work(origin) { $0.parts.want(count, for: job) } }
    }

    /// The job is over: whoever took part, at whichever origin, is to leave.
    mutating func dissolve(_ job: JobID) -> [Action] {
        let sharing = origins.values.filter { !$0.parts.isEmpty }.map(\.origin).sorted()
        return sharing.flatMap { origin in work(origin) { $0.parts.end(job) } }
    }

    mutating func part(
        _ lane: LaneID, _ job: JobID, _ failure: Failure?, now: MonotonicTime
    ) -> [Action] {
        guard let origin = originOfLane[lane] else { return [] }
        let isLost = work(origin) { $0.part(lane, job, failure, now: now) }
        var actions: [Action] = []
        if isLost {
            actions.append(.close(lane))
            forget(lane)
        }
        return actions + startWaiting(of: origin)
    }

    /// One lane after the other is asked to leave as long as a job is due that has none.
    mutating func recalls(now: MonotonicTime) -> [Action] {
        // Asked at every event: where no lane takes part in anything, there is nothing to sort.
        guard !isStopping, origins.values.contains(where: { $0.parts.count > 0 }), !isRecalling else {
            return []
        }
        let isFull = used >= limits.total
        for (origin, work) in origins.sorted(by: { $0.key < $1.key }) {
            let lanes = limits.perOrigin(origin)
            if work.isStarved(lanes: lanes, now: now) {
                return self.work(origin) { $0.parts.recallOne() }
            }
            guard isFull, work.isDue(now), work.gate.state == .open, work.claiming == 0 else { continue }
            if let other = origins.values.first(where: { $0.parts.count > 0 })?.origin {
                return self.work(other) { $0.parts.recallOne() }
            }
        }
        return []
    }

    /// Lanes that have nothing else to do join the jobs that can use them.
    mutating func joins(now: MonotonicTime) -> [Action] {
        guard !isStopping else { return [] }
        var actions: [Action] = []
        for origin in origins.values.filter({ !$0.parts.isEmpty }).map(\.origin).sorted() {
            let lanes = limits.perOrigin(origin)
            while used < limits.total, let job = origins[origin]?.parts.next,
                origins[origin]?.spareLanes(lanes: lanes, now: now) ?? 0 > 0
            {
                let idle = work(origin) { $0.takeIdleLane() }
                let lane = idle ?? openLane(origin, &actions)
                work(origin) { $0.parts.join(lane, to: job) }
                actions.append(.join(job, lane))
            }
        }
        return actions
    }
}
