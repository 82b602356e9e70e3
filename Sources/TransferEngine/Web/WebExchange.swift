internal import TransferModel

/// What comes back to one request: its head, and its body, into the asker's sink where it is a success.
final class WebExchange: BodySink {
    private(set) var head = HTTPHead()
    let reply = ReplySink()
    private let sink: (any BodySink)?
    private let hasAsked: Bool

    /// - Parameters:
    ///   - sink: takes the body of an answer with status 200, 206 or 207; anything else is kept as ``reply``.
    ///   - hasAsked: whether the server is asked before the body is sent.
    init(sink: (any BodySink)? = nil, hasAsked: Bool = false) {
        self.sink = sink
        self.hasAsked = hasAsked
    }

    /// A line of the answer's head. A server that cannot be asked first ends it: libcurl would go on by itself.
    func take(_ line: UnsafeRawBufferPointer) -> Bool {
        head.take(line)
        return !head.isTooLong && !(hasAsked && head.status == 417)
    }

    func write(_ bytes: UnsafeRawBufferPointer) -> WriteAnswer {
        if let sink, [200, 206, 207].contains(head.status) { return sink.write(bytes) }
        return reply.write(bytes)
    }
}

/// What a web server answered.
struct WebAnswer {
    let head: HTTPHead
    /// The first bytes of a body that nobody wanted, and whether they are all of it.
    let excerpt: [UInt8]
    let isWhole: Bool
    /// How the exchange ended.
    let exchange: Answer

    init(_ exchange: WebExchange, _ answer: Answer) {
        head = exchange.head
        excerpt = exchange.reply.kept
        isWhole = exchange.reply.isWhole
        self.exchange = answer
    }

    var status: Int { head.status }
    var isSuccess: Bool { (200...299).contains(status) }
    /// Whether there is one to be believed.
    var isComplete: Bool { head.isComplete && !head.isTooLong && (200...599).contains(status) }

    /// For the person who looks at the job.
    var reply: Reply? {
        guard status != 0 else { return nil }
        return Reply(status: status, head: head.lines, body: Array(excerpt.prefix(Reply.longestBody)))
    }
}

/// A question to a web server that sends no file.
struct WebQuestion {
    let method: String
    let url: TransferURL
    /// What is being done, as a failure says it.
    let doing: String
    var headers: [String] = []
    var body: [UInt8]?
    var sink: (any BodySink)?
    /// Whether it may be asked again where a kept connection turned out to be dead.
    var mayRepeat = true
}
