internal import TransferModel

/// One post while it runs: counts what goes out, and keeps what comes back.
final class FormExchange: BodySource {
    private(set) var head = HTTPHead()
    let answer: ReplySink
    private let body: any SealedBody
    private let progress: Progress
    private let hasAsked: Bool
    private var sent: Int64 = 0

    /// - Parameters:
    ///   - hasAsked: whether the server is asked before the body is sent.
    ///   - file: where the whole answer goes.
    init(_ body: any SealedBody, progress: Progress, hasAsked: Bool, file: DownloadBody?) {
        answer = ReplySink(into: file)
        self.body = body
        self.progress = progress
        self.hasAsked = hasAsked
    }

    /// The answer as it is kept with the job.
    var reply: Reply {
        Reply(status: head.status, head: head.lines, body: Array(answer.kept.prefix(Reply.longestBody)))
    }

    /// A line of the answer's head. A server that cannot be asked first ends it: libcurl would go on by itself.
    func take(_ line: UnsafeRawBufferPointer) -> Bool {
        head.take(line)
        return !head.isTooLong && !(hasAsked && head.status == 417)
    }

    /// The body goes out in one piece.
    func handOver(_ length: Int64) -> Bool {
        guard body.handOver() else { return false }
        sent = length
        progress.advance(to: ByteCount(rawValue: sent))
        return true
    }

    func read(into space: UnsafeMutableRawBufferPointer) -> ReadAnswer {
        let answer = body.read(into: space)
        if case .bytes(let count) = answer {
            sent += Int64(count)
            progress.advance(to: ByteCount(rawValue: sent))
        }
        return answer
    }
}
