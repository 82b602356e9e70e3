internal import TransferModel

/// One post while it runs: counts what goes out, and keeps what comes back.
final class FormExchange: BodySource {
    private(set) var head = HTTPHead()
    let answer = ReplySink()
    private let producer: FormProducer
    private let progress: Progress
    private var sent: Int64 = 0

    init(_ producer: FormProducer, progress: Progress) {
        self.producer = producer
        self.progress = progress
    }

    /// A line of the answer's head.
    func take(_ line: UnsafeRawBufferPointer) -> Bool {
        head.take(line)
        return !head.isTooLong
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
