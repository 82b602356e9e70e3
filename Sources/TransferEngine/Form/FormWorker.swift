internal import TransferModel

/// Posts one form: its parts in order, its files streamed, and the last bytes only after the seal is durable.
struct FormWorker: Worker {
    private let assignment: Assignment
    private let disk = DiskQueue()

    /// Bodies that are repeated at another address of the server, at most.
    private static let mostRedirects = 5

    init(_ assignment: Assignment) { self.assignment = assignment }

    func run(on lane: isolated Lane) async throws -> Outcome.Arrival {
        try assignment.requireLogin()
        var target: TransferURL?
        for _ in 0...Self.mostRedirects {
            let (verdict, size, reply) = try await post(to: target, on: lane)
            switch verdict {
            case .arrived: return Outcome.Arrival(size: ByteCount(rawValue: size), reply: reply)
            case .repeated(let url): target = url
            case .failed(var failure):
                // The server's answer settles what the seal left open.
                if failure.class != .unknownOutcome { lane.keep(.sending, lane.checkpoint) }
                failure.reply = reply
                throw failure
            }
        }
        throw Failure(.permanent, text: "the form's address leads on more than \(Self.mostRedirects) times")
    }

    /// Nothing of a form stands anywhere.
    func discard(_ remains: Checkpoint, on lane: isolated Lane) async {}

    /// `target`: where the server sent the body on; nil: the form's own address.
    private func post(
        to target: TransferURL?, on lane: isolated Lane
    ) async throws -> (FormVerdict, size: Int64, Reply?) {
        // What an earlier post left unknown is answered by the decision to post again.
        if lane.stage != .sending { lane.record(.sending, lane.checkpoint) }
        let content = try await open(on: lane)
        let url = target ?? content.url
        let length = content.reader.body.length
        assignment.progress.begin(at: .zero, limit: ByteCount(rawValue: length))
        let producer = producer(content.reader, on: lane)
        defer { producer.cancel() }
        let exchange = FormExchange(producer, progress: assignment.progress)
        producer.start()
        let answer: Answer
        do {
            answer = try await lane.perform(request(to: url, content, exchange))
        } catch {
            throw stopped(error, isSealed: producer.isSealed)
        }
        let facts = FormVerdict.Facts(
            url: url, head: exchange.head, excerpt: exchange.answer.kept,
            sentWhole: answer.uploaded == length, sealed: producer.isSealed, loggedIn: isLoggedIn,
            keptConnectionBroke: answer.brokeKeptConnection,
            exchange: answer.failure(doing: "posting to \(url)"), now: .now())
        let status = exchange.head.status
        let reply = status == 0 ? nil : Reply(status: status, body: exchange.answer.kept)
        return (FormVerdict.decide(facts), length, reply)
    }

    /// What a stop means: once sealed, and without an answer, nobody knows what the server has.
    private func stopped(_ stop: Stop, isSealed: Bool) -> any Error {
        switch stop {
        case .interrupted where isSealed:
            Failure(
                .unknownOutcome,
                text: "the whole form may have been sent, and the post was stopped before an answer came")
        case .interrupted, .cancelled: stop
        }
    }

    private func producer(_ reader: FormBodyReader, on lane: isolated Lane) -> FormProducer {
        let job = assignment.job.id
        let seal: @Sendable (FormProducer) -> Void = { producer in
            lane.assumeIsolated { lane in
                lane.keep(.sealed, lane.checkpoint)
                lane.report(.staged(job, .sealed, lane.checkpoint, durable: { producer.sealed() }))
            }
        }
        return FormProducer(reader, on: disk, wake: { lane.resume() }, askForSeal: seal)
    }

    private func request(to url: TransferURL, _ content: FormContent, _ exchange: FormExchange) -> Request {
        var request = Request(url: url.requestText)
        request.headers = headers(content)
        request.set(.post, true)
        request.set(.postSize, content.reader.body.length)
        request.body = exchange
        request.sink = exchange.answer
        request.onLine = { exchange.take($0) }
        return request
    }

    private func headers(_ content: FormContent) -> [String] {
        var lines = ["Content-Type: \(content.reader.body.contentType)", "Expect:"]
        let own = content.headers
        if !own.contains(where: { $0.name.lowercased() == "idempotency-key" }) {
            lines.append("Idempotency-Key: \(assignment.job.idempotencyKey)")
        }
        return lines + own.map(\.line)
    }

    private var form: FormDescription {
        switch assignment.job.description {
        case .form(let form): form
        case .upload, .download, .remote: preconditionFailure("a form's worker is given forms")
        }
    }

    private var isLoggedIn: Bool {
        switch assignment.login {
        case .credentials: true
        case .anonymous, .missing: false
        }
    }

    private func open(on lane: isolated Lane) async throws -> FormContent {
        let form = form
        let job = assignment.job
        let places = assignment.places
        let digests = SourceDigests(FormFilling.needsSHA256(form, at: job.url) ? [.sha256] : [])
        defer { digests?.giveUp() }
        return try await lane.onDisk(disk) { () throws(Failure) in
            try FormContent.open(form, of: job, below: places, digests: digests)
        }
    }
}
