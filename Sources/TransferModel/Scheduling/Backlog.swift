/// Jobs of one origin that were claimed before a lane was free for them, so that a lane that carries small files need not
/// wait for a commit between two of them.
struct Backlog: Hashable, Sendable {
    /// In the order in which they are to start.
    private(set) var jobs: [Job] = []
    /// Jobs asked of the table and not brought yet.
    private(set) var claiming = 0

    /// While a larger job runs nothing is claimed ahead: nobody knows when its lane will be free.
    private static let largestJob = ByteCount(1 << 20)
    private static let most = 16

    /// `arrived`: the size of the last one that arrived; of forms and downloads nobody knows it before.
    static func isSmall(_ job: Job, after arrived: ByteCount?) -> Bool {
        (job.limit ?? arrived).map { $0 <= largestJob } ?? false
    }

    var isEmpty: Bool { jobs.isEmpty && claiming == 0 }

    /// How many jobs to claim for an origin all of whose `lanes` are busy; as many at a time as are worth a search.
    mutating func claim(lanes: Int) -> Int {
        let known = jobs.count + claiming
        let wanted = min(lanes, Self.most)
        guard known <= wanted / 2 else { return 0 }
        claiming += wanted - known
        return wanted - known
    }

    mutating func claimed(asked: Int) { claiming -= asked }

    mutating func append(_ job: Job) { jobs.append(job) }

    mutating func takeFirst() -> Job? { jobs.isEmpty ? nil : jobs.removeFirst() }

    mutating func take(_ id: JobID) -> Job? {
        jobs.firstIndex { $0.id == id }.map { jobs.remove(at: $0) }
    }

    mutating func takeAll() -> [Job] {
        defer { jobs = [] }
        return jobs
    }
}
