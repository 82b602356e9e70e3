internal import TransferModel

/// Fetches the list of checksums that a download is to be proven by, with the login and the bounds of the download.
struct ChecksumListFetch {
    let assignment: Assignment
    let list: TransferURL

    /// The longest list that is read, in bytes.
    private static let longest = 4 << 20
    private static let mostRedirects = 10

    /// What the list says of the job's file.
    func run(on lane: isolated Lane) async throws -> DownloadClaim {
        let sink = CollectedBytes(atMost: Self.longest, "the list of checksums at \(list)")
        if list.origin.scheme.isWeb {
            try await fetch(into: sink, on: lane)
        } else {
            try await lane.origin.fileServer(for: assignment).fetch(
                try RemotePath(list), into: sink, on: lane)
        }
        let file = assignment.job.url.segments
        guard let name = list.fileName,
            let checksum = ChecksumList(sink.bytes).checksum(of: file, list: name.bytes)
        else {
            let shown = EscapedText.escape(file.last ?? [])
            throw Failure(.permanent, text: "\(list) has no checksum of '\(shown)', or several that differ")
        }
        return DownloadClaim(checksum: checksum, source: .list(name))
    }

    private func fetch(into sink: CollectedBytes, on lane: isolated Lane) async throws {
        let terms = RequestTerms(assignment)
        var url = list
        for _ in 0...Self.mostRedirects {
            try await terms.askForChallenge(url, on: lane)
            sink.clear()
            let head = try await ask(url, terms, sink, on: lane)
            if terms.isToRepeat(after: head, from: url, on: lane) { continue }
            switch decision(head, url, terms) {
            case .replace(let piece):
                switch piece.next(reached: Int64(sink.bytes.count)) {
                case .whole: return
                case .goOn: throw Failure(.temporary, text: "\(url) is sent in parts")
                case .failed(let failure): throw failure
                }
            case .redirected(let target): url = target
            case .failed(let failure): throw failure
            case .append, .complete, .askAgain, .unchanged:
                throw Failure(.temporary, text: "the answer of \(url) is none to what was asked")
            }
        }
        throw Failure(.permanent, text: "\(list) leads on more than \(Self.mostRedirects) times")
    }

    private func ask(
        _ url: TransferURL, _ terms: RequestTerms, _ sink: CollectedBytes, on lane: isolated Lane
    ) async throws -> HTTPHead {
        var head = HTTPHead()
        var request = Request(url: url.requestText)
        request.headers = DownloadQuestion().fields
        request.set(.protocols, url.origin.scheme.rawValue)
        request.sink = sink
        request.onLine = { line in
            head.take(line)
            return !head.isTooLong
        }
        terms.apply(to: &request, method: "GET", url: url, on: lane)
        let answer = try await lane.perform(request)
        if let failure = answer.failure(doing: "fetching \(url)") { throw failure }
        return head
    }

    private func decision(_ head: HTTPHead, _ url: TransferURL, _ terms: RequestTerms) -> HTTPDownloadDecision
    {
        guard let name = list.fileName else { preconditionFailure("a list of checksums has a name") }
        return HTTPDownloadDecision.decide(
            head, to: DownloadQuestion(), at: url, name: name, loggedIn: terms.logsIn(at: url), now: .now())
    }
}
