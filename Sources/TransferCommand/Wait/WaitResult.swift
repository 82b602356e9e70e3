internal import TransferModel

/// What became of the jobs that somebody waited for.
struct WaitResult {
    /// Jobs that have not ended yet.
    var pending: [JobID]
    /// How many have arrived.
    var arrived = 0
    /// Those that ended in another way, or wait for a person.
    var missed: [Job] = []
    let timeout: Duration?

    init(pending: [JobID], timeout: Duration?) {
        self.pending = pending
        self.timeout = timeout
    }

    /// A job that will not arrive counts more than one that may.
    var status: ExitStatus {
        if missed.contains(where: \.state.name.isFinal) { return .notArrived }
        return pending.isEmpty && missed.isEmpty ? .success : .later
    }

    /// One sentence; nil when all arrived.
    var sentence: String? {
        if let first = missed.first, missed.count == 1, pending.isEmpty { return Sentences.end(of: first) }
        if let first = pending.first, pending.count == 1, missed.isEmpty {
            return "job \(first) is not over after \(waited)"
        }
        let total = arrived + missed.count + pending.count
        var parts = missed.prefix(5).map { "\($0.id) \($0.state.name.rawValue)" }
        if missed.count > 5 { parts.append("\(missed.count - 5) more") }
        if !pending.isEmpty { parts.append("\(pending.count) not over after \(waited)") }
        guard !parts.isEmpty else { return nil }
        return
            "\(missed.count + pending.count) of \(total) jobs did not arrive: \(parts.joined(separator: ", "))"
    }

    /// Says the sentence and returns the status.
    func report() -> ExitStatus {
        if let sentence { Complaint.write(sentence) }
        return status
    }

    private var waited: String { timeout.map(Amount.duration) ?? "0s" }
}
