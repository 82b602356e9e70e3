internal import TransferModel

/// What is said of jobs in words.
enum Sentences {
    /// `first` is none of the table's, and so are `count - 1` others.
    static func unknown(_ first: JobID, among count: Int) -> String {
        count == 1 ? "there is no job \(first)" : "there is no job \(first), nor \(count - 1) of the others"
    }

    /// What stands before the words of a failure after which nobody knows what the server has; else nothing.
    static func outcome(_ failure: Failure, of job: Job) -> String {
        guard failure.class == .unknownOutcome else { return "" }
        return job.state.name == .held ? "outcome unknown: " : "outcome unknown, sent again: "
    }

    /// What became of a job that is over or waits for a person.
    static func end(of job: Job) -> String {
        let said = job.lastFailure.map { ": \(Shown.text($0.text))" } ?? ""
        switch job.state {
        case .queued, .running: return "job \(job.id) is \(job.state.name.rawValue)"
        case .held(.byRequest): return "job \(job.id) is held; 'transferctl release \(job.id)' lets it go on"
        case .held(.unknownOutcome):
            return "job \(job.id) is held, since nobody knows whether it arrived; "
                + "'transferctl retry \(job.id)' sends it again\(said)"
        case .done: return "job \(job.id) is done"
        case .failed: return "job \(job.id) has failed\(said)"
        case .cancelled: return "job \(job.id) was cancelled"
        case .expired: return "job \(job.id) has expired\(said)"
        }
    }
}
