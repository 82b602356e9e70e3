internal import TransferModel

/// One post while it runs: counts what goes out, and keeps what comes back.
final class FormExchange: BodySource {
    private(set) var head = HTTPHead()
    let answer = ReplySink()
    private let producer: FormProducer
    private let progress: Progress
    private let hasAsked: Bool
    private var sent: Int64 = 0

    /// - Parameter hasAsked: whether the server is asked before the body is sent.
    init(_ producer: FormProducer, progress: Progress, hasAsked: Bool) {
        self.producer = producer
        self.progress = progress
        self.hasAsked = hasAsked
    }

    /// A line of the answer's head. A server that cannot be asked first ends it: libcurl would go on by itself.
    func take(_ line: UnsafeRawBufferPointer) -> Bool {
        head.take(line)
        return !head.isTooLong && !(hasAsked && head.status == 417)
    }

    func read(into space: UnsafeMutableRawBufferPointer) -> ReadAnswer {
        let answer = producer.read(into: space)
        if case .bytes(let count) = answer {
            sent += Int64(count)
            progress.advance(to: ByteCount(rawValue: sent))
        }
        return answer
    }
}
