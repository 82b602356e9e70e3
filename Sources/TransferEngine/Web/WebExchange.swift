internal import TransferModel

/// What comes back to one request: its head, and its body, into the asker's sink where it is a success.
final class WebExchange: BodySink {
    private(set) var head = HTTPHead()
    let reply = ReplySink()
    private let sink: (any BodySink)?

    /// `sink` takes the body of an answer with status 200, 206 or 207; anything else is kept as ``reply``.
    init(sink: (any BodySink)? = nil) { self.sink = sink }

    /// A line of the answer's head.
    func take(_ line: UnsafeRawBufferPointer) -> Bool {
        head.take(line)
        return !head.isTooLong
    }

    func write(_ bytes: UnsafeRawBufferPointer) -> WriteAnswer {
        if let sink, [200, 206, 207].contains(head.status) { return sink.write(bytes) }
        return reply.write(bytes)
    }
}

/// What a web server answered.
struct WebAnswer {
    let head: HTTPHead
    /// The first bytes of a body that nobody wanted.
    let excerpt: [UInt8]
    /// How the exchange ended.
    let exchange: Answer

    var status: Int { head.status }
    var isSuccess: Bool { (200...299).contains(status) }

    /// For the person who looks at the job.
    var reply: Reply? { status == 0 ? nil : Reply(status: status, body: excerpt) }
}

/// A question to a web server that sends no file.
struct WebQuestion {
    let method: String
    /// The address asked for.
    let target: String
    /// What is being done, as a failure says it.
    let doing: String
    var headers: [String] = []
    var body: [UInt8]?
    var sink: (any BodySink)?
    /// Whether it may be asked again where a kept connection turned out to be dead.
    var mayRepeat = true
}
