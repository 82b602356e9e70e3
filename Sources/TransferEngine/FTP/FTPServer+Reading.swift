internal import TransferModel

extension FTPServer {
    func read(_ range: Range<Int64>, of path: RemotePath, on lane: isolated Lane) async throws -> [UInt8]? {
        let sink = RangeSink(limit: range.count)
        var request = request(for: path)
        request.sink = sink
        if range.lowerBound > 0 { request.set(.resumeFrom, range.lowerBound) }
        let answer = try await lane.perform(request)
        if answer.error == nil || sink.isFull { return sink.bytes }
        let isRefused = answer.received == 0 && answer.isLoggedIn && answer.replies.code >= 400
        guard isRefused, answer.replies.code != 421 else {
            throw Failure(answer, doing: "reading from \(path) at \(origin)")
        }
        return nil
    }
}

/// Keeps the first bytes of what comes, and ends the transfer when more comes than is wanted.
private final class RangeSink: BodySink {
    private(set) var bytes: [UInt8] = []
    private let limit: Int

    init(limit: Int) { self.limit = limit }

    var isFull: Bool { bytes.count == limit }

    func write(_ bytes: UnsafeRawBufferPointer) -> WriteAnswer {
        let room = limit - self.bytes.count
        self.bytes += bytes.prefix(room)
        guard bytes.count > room else { return .taken }
        return .fail(Failure(.temporary, text: "the range ends here"))
    }
}
