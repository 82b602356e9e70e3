internal import TransferModel

extension WebServer {
    func read(_ range: Range<Int64>, of path: RemotePath, on lane: isolated Lane) async throws -> [UInt8]? {
        guard !range.isEmpty else { return [] }
        let sink = WebRange(limit: range.count)
        let question = WebQuestion(
            method: "GET", url: address(of: path), doing: "reading from \(name(path))",
            headers: ["Range: bytes=\(range.lowerBound)-\(range.upperBound - 1)"], sink: sink)
        let answer: WebAnswer
        do {
            answer = try await ask(question, on: lane)
        } catch let failure as Failure {
            // A server without ranges sends all of it: the connection ends when there was enough.
            guard sink.isFull else { throw failure }
            return range.lowerBound == 0 ? sink.bytes : nil
        }
        switch (answer.status, answer.head.value("content-range").flatMap(ContentRange.init)) {
        case (206, .part(let first, _, _)?) where first == range.lowerBound: return sink.bytes
        case (200, _) where range.lowerBound == 0: return sink.bytes
        case _: return nil
        }
    }

    func fetch(_ path: RemotePath, into sink: any BodySink, on lane: isolated Lane) async throws {
        let doing = "fetching \(name(path))"
        let question = WebQuestion(method: "GET", url: address(of: path), doing: doing, sink: sink)
        let answer = try await ask(question, on: lane)
        guard answer.status == 200 else { throw refusal(answer, doing: doing) }
    }
}

/// Keeps the first bytes of what comes, and ends the exchange when more comes than is wanted.
private final class WebRange: BodySink {
    private(set) var bytes: [UInt8] = []
    private let limit: Int

    init(limit: Int) { self.limit = limit }

    var isFull: Bool { bytes.count == limit }

    func write(_ content: UnsafeRawBufferPointer) -> WriteAnswer {
        let room = limit - bytes.count
        bytes += content.prefix(room)
        guard content.count > room else { return .taken }
        return .fail(Failure(.temporary, text: "the range ends here"))
    }
}
