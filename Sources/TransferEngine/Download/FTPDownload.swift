internal import CCurl
internal import TransferModel

/// Fetches a file over FTP: SIZE and MDTM tell its versions apart, REST goes on with it.
struct FTPDownload {
    private let place: DownloadPlace

    /// Bytes that are asked for again after a resume, to notice a server that answers REST and ignores it.
    private static let overlap: Int64 = 65_536

    init(_ place: DownloadPlace) { self.place = place }

    /// Returns when the file is whole; whether its length is verified.
    func run(on lane: isolated Lane) async throws -> Bool {
        let known = lane.checkpoint.validator ?? Checkpoint.Validator()
        if known.lastModified != nil || place.hasChecksum,
            let file = try await place.resume(overlap: Self.overlap, on: lane)
        {
            if place.job.offset == known.total { return true }
            if let isVerified = try await goOn(with: file, of: known, on: lane) { return isVerified }
            lane.report(
                .notice(severity: 6, text: "job \(place.job.id) starts again: the file cannot be resumed"))
        }
        if let standing = try await place.standing(on: lane) { try await compare(standing, on: lane) }
        let exchange = FTPDownloadExchange(.start, place: place, on: lane)
        let answer = try await perform(exchange, on: lane)
        if let failure = answer.failure(doing: "fetching \(place.job.url)") { throw failure }
        return try verified(exchange)
    }

    /// Throws when the server's file is the one that stands here: it is asked for time and size alone.
    private func compare(_ standing: StandingFile, on lane: isolated Lane) async throws {
        var facts = FTPFacts()
        var request = Request(url: place.job.url.fileText)
        request.set(.fileTime, true)
        request.set(.noBody, true)
        request.onLine = { line in
            facts.take(line)
            return true
        }
        let answer = try await lane.perform(request)
        if let failure = answer.failure(doing: "asking for \(place.job.url)") { throw failure }
        let told = facts.validator
        if standing.isSame(as: told, modified: place.modified(told)) { throw place.notModified }
    }

    /// nil when the file has to be fetched from its start.
    private func goOn(
        with file: DownloadFile, of known: Checkpoint.Validator, on lane: isolated Lane
    ) async throws -> Bool? {
        let exchange = FTPDownloadExchange(
            .resume(from: file.offset, at: place.job.offset.rawValue, known), place: place, on: lane)
        let answer: Answer
        do {
            answer = try await perform(exchange, on: lane)
        } catch let failure as Failure {
            guard file.isForeign else { throw failure }
            return nil
        }
        if file.isForeign || exchange.isOther || answer.failed(CURLE_FTP_COULDNT_USE_REST)
            || answer.failed(CURLE_BAD_DOWNLOAD_RESUME)
        {
            return nil
        }
        if let failure = answer.failure(doing: "fetching \(place.job.url)") { throw failure }
        return try verified(exchange)
    }

    private func verified(_ exchange: FTPDownloadExchange) throws -> Bool {
        guard let piece = exchange.piece else {
            throw Failure(.temporary, text: "the server announced no data")
        }
        switch place.conclude(piece) {
        case .whole(let isVerified): return isVerified
        case .failed(let failure): throw failure
        case .goOn: preconditionFailure("FTP sends a file to its end")
        }
    }

    private func perform(_ exchange: FTPDownloadExchange, on lane: isolated Lane) async throws -> Answer {
        var request = Request(url: place.job.url.fileText)
        request.set(.fileTime, true)
        if exchange.start > 0 { request.set(.resumeFrom, exchange.start) }
        request.sink = exchange
        request.onLine = { exchange.take($0) }
        let answer: Answer
        do {
            answer = try await lane.perform(request)
        } catch {
            await exchange.body?.stop()
            throw error
        }
        guard let body = exchange.body else { return answer }
        do {
            try await place.settle(body, on: lane)
        } catch let stop as Stop {
            await body.stop()
            throw stop
        }
        return answer
    }
}

extension TransferURL {
    /// The address as libcurl takes it: every segment encoded once, so that no byte of a name means anything else.
    fileprivate var fileText: String {
        let bracketed = origin.host.contains(":") ? "[\(origin.host)]" : origin.host
        let path = segments.map { PercentEncoding.encode($0) }.joined(separator: "/")
        return "\(origin.scheme.rawValue)://\(bracketed):\(origin.port)/\(path)"
    }
}
