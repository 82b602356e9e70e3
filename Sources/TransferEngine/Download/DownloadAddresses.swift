internal import TransferModel

/// The addresses of a download in the order in which one attempt tries them, and what it failed with at each.
///
/// What goes wrong at a further address says nothing of the job's own server.
struct DownloadAddresses {
    struct Address: Hashable {
        let url: TransferURL
        /// nil for the job's own.
        let mirror: Int?
    }

    private(set) var rest: [Address]
    private var failures: [(address: Address, failure: Failure)] = []

    /// Begins with the one that the bytes that are there came from.
    init(_ url: TransferURL, _ mirrors: [TransferURL], first: Int?) {
        let all = [Address(url: url, mirror: nil)] + mirrors.enumerated().map { Address(url: $1, mirror: $0) }
        let start = all.firstIndex { $0.mirror == first } ?? 0
        rest = Array(all[start...] + all[..<start])
    }

    mutating func next() -> Address? { rest.isEmpty ? nil : rest.removeFirst() }

    /// Notes what an address failed with; whether another one is to be tried. Nothing that is wrong here gets better
    /// elsewhere.
    mutating func failed(_ address: Address, _ failure: Failure) -> Bool {
        failures.append((address, failure))
        return failure.class != .local && !rest.isEmpty
    }

    /// What the attempt ends with: what is wrong here, else the job's own server's word, or what may go away by itself
    /// somewhere else.
    var failure: Failure? {
        if failures.count == 1 { return concerningJob(failures[0]) }
        if let last = failures.last, last.failure.class == .local { return last.failure }
        let own = failures.first { $0.address.mirror == nil }
        if let own, own.failure.class != .permanent { return own.failure }
        let temporary = failures.first { $0.failure.class == .temporary }
        return (temporary ?? own ?? failures.last).map(concerningJob)
    }

    private func concerningJob(_ found: (address: Address, failure: Failure)) -> Failure {
        var failure = found.failure
        if found.address.mirror != nil { failure.scope = .job }
        return failure
    }
}
