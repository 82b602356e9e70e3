internal import TransferModel

/// The jobs that were claimed through one table and run: what happens to them need not read and decode their rows again,
/// of which other programs change nothing but the request.
///
/// What happens to a job in one transaction is one change of its row, written at the transaction's end or before the
/// row is read. A transaction that fails leaves everything as it was.
struct ClaimedJobs {
    /// One job as it is now.
    struct Entry {
        var job: Job
        /// As its row is, where that is not what the job is.
        var row: Job?
        /// Whether another program may have changed the row since it was seen.
        var isSuspect = false
    }

    private var entries: [JobID: Entry] = [:]
    /// What was known when the transaction began of the jobs that it touched; the earliest first.
    private var earlier: [(JobID, Entry?)] = []
    private(set) var unwritten: Set<JobID> = []

    subscript(id: JobID) -> Entry? {
        get { entries[id] }
        set {
            earlier.append((id, entries[id]))
            entries[id] = newValue
            if newValue?.row != nil { unwritten.insert(id) } else { unwritten.remove(id) }
        }
    }

    var isEmpty: Bool { entries.isEmpty }

    /// Whether an upload to the same address as `job` is among them.
    func hasUpload(to url: TransferURL) -> Bool {
        entries.values.contains { $0.job.kind == .upload && $0.job.url == url }
    }

    /// Another program has changed something in the table.
    mutating func suspectAll() {
        for id in entries.keys { entries[id]?.isSuspect = true }
    }

    /// What the transaction made of them holds.
    mutating func committed() { earlier.removeAll(keepingCapacity: true) }

    /// Nothing of the transaction holds.
    mutating func rolledBack() {
        for (id, entry) in earlier.reversed() { entries[id] = entry }
        earlier.removeAll(keepingCapacity: true)
        unwritten = []
    }
}
