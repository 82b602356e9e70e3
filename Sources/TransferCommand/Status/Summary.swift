internal import TransferModel

/// How many jobs there are, in a line: `2 running, 1500 queued, 1 failed, 80 done`.
enum Summary {
    static func text(_ counts: [JobState.Name: Int]) -> String {
        let parts = JobState.Name.allCases.sorted { order($0) < order($1) }.compactMap { name in
            counts[name].flatMap { $0 > 0 ? "\($0) \(name.rawValue)" : nil }
        }
        return parts.isEmpty ? "no jobs" : parts.joined(separator: ", ")
    }

    /// What moves first, what is over last.
    private static func order(_ name: JobState.Name) -> Int {
        switch name {
        case .running: 0
        case .queued: 1
        case .held: 2
        case .failed: 3
        case .expired: 4
        case .cancelled: 5
        case .done: 6
        }
    }
}
