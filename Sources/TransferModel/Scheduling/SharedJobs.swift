/// Running jobs of one origin that several lanes could carry together, and the lanes that take part in them.
struct SharedJobs: Hashable, Sendable {
    private struct Part: Hashable, Sendable {
        let job: JobID
        /// The lane was asked to leave.
        var isRecalled = false
    }

    /// How many lanes each job could use besides its own.
    private var wanted: [JobID: Int] = [:]
    private var parts: [LaneID: Part] = [:]

    var isEmpty: Bool { wanted.isEmpty && parts.isEmpty }
    /// Lanes that take part, the recalled ones as well.
    var count: Int { parts.count }
    var isRecalling: Bool { parts.values.contains(where: \.isRecalled) }

    func count(of job: JobID) -> Int { parts.values.count { $0.job == job && !$0.isRecalled } }

    mutating func want(_ lanes: Int, for job: JobID) { wanted[job] = lanes > 0 ? lanes : nil }

    /// The job that gets the next lane: of those that want one, the one that has the fewest.
    var next: JobID? {
        let wanting = wanted.filter { count(of: $0.key) < $0.value }
        return wanting.min { (count(of: $0.key), $0.key) < (count(of: $1.key), $1.key) }?.key
    }

    mutating func join(_ lane: LaneID, to job: JobID) { parts[lane] = Part(job: job) }

    /// A lane left by itself has found nothing to do, or could not do it: nobody is sent again before the job asks.
    mutating func leave(_ lane: LaneID) {
        guard let part = parts.removeValue(forKey: lane), !part.isRecalled, wanted[part.job] != nil else {
            return
        }
        want(count(of: part.job), for: part.job)
    }

    /// The job is over: whoever took part is to leave.
    mutating func end(_ job: JobID) -> [Scheduler.Action] {
        wanted[job] = nil
        return recall { $0 == job }
    }

    mutating func recallAll() -> [Scheduler.Action] { recall { _ in true } }

    /// Asks one lane to leave, of the job that has the most.
    mutating func recallOne() -> [Scheduler.Action] {
        let staying = parts.filter { !$0.value.isRecalled }
        let most = staying.max { left, right in
            (count(of: left.value.job), left.key) < (count(of: right.value.job), right.key)
        }
        guard let (lane, part) = most else { return [] }
        parts[lane]?.isRecalled = true
        return [.interrupt(lane, part.job)]
    }

    private mutating func recall(where isMeant: (JobID) -> Bool) -> [Scheduler.Action] {
        let lanes = parts.filter { !$0.value.isRecalled && isMeant($0.value.job) }.keys.sorted()
        return lanes.map { lane in
            let job = parts[lane]?.job ?? JobID(rawValue: 0)
            parts[lane]?.isRecalled = true
            return .interrupt(lane, job)
        }
    }
}
