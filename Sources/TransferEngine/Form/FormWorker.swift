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
        let terms = RequestTerms(assignment)
        var url = assignment.job.url
        for _ in 0...Self.mostRedirects {
            try await terms.askForChallenge(url, on: lane)
            let (verdict, size, reply) = try await post(to: url, terms, on: lane)
            switch verdict {
            case .arrived: return Outcome.Arrival(size: ByteCount(rawValue: size), reply: reply)
            case .repeated(let target): url = target
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

    private func post(
        to url: TransferURL, _ terms: RequestTerms, on lane: isolated Lane
    ) async throws -> (FormVerdict, size: Int64, Reply?) {
        // What an earlier post left unknown is answered by the decision to post again.
        if lane.stage != .sending { lane.record(.sending, lane.checkpoint) }
        let reader = try await open(on: lane)
        let length = reader.body.length
        assignment.progress.begin(at: .zero, limit: ByteCount(rawValue: length))
        let producer = producer(reader, on: lane)
        defer { producer.cancel() }
        let exchange = FormExchange(
            producer, progress: assignment.progress, hasAsked: terms.expects(on: lane))
        producer.start()
        let answer: Answer
        do {
            var request = request(to: url, reader.body, exchange)
            terms.apply(to: &request, method: "POST", url: url, bodyLength: length, on: lane)
            answer = try await lane.perform(request)
        } catch {
            throw stopped(error, isSealed: producer.isSealed)
        }
        if terms.isToRepeat(after: exchange.head, from: url, on: lane) {
            return (.repeated(url), length, nil)
        }
        let facts = FormVerdict.Facts(
            url: url, head: exchange.head, excerpt: exchange.answer.kept,
            sentWhole: answer.uploaded == length, sealed: producer.isSealed, loggedIn: terms.logsIn(at: url),
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

    private func request(to url: TransferURL, _ body: FormBody, _ exchange: FormExchange) -> Request {
        var request = Request(url: url.requestText)
        request.headers = headers(body)
        request.set(.post, true)
        request.set(.postSize, body.length)
        request.body = exchange
        request.sink = exchange.answer
        request.onLine = { exchange.take($0) }
        return request
    }

    /// Those of the body; what else is said of the request stands in its terms.
    private func headers(_ body: FormBody) -> [String] {
        var lines = ["Content-Type: \(body.contentType)"]
        let wishes = assignment.request
        let name: String? =
            switch wishes.idempotencyHeader {
            case .named(let name): name
            case nil: IdempotencyHeader.standardName
            case .off: nil
            }
        let own = (wishes.headers ?? []).map { $0.name.lowercased() }
        if let name, !own.contains(name.lowercased()) {
            lines.append("\(name): \(assignment.job.idempotencyKey)")
        }
        return lines
    }

    private var form: FormDescription {
        switch assignment.job.description {
        case .form(let form): form
        case .upload, .download, .remote: preconditionFailure("a form's worker is given forms")
        }
    }

    /// Opens the form's files, and lays the body out around the sizes that they have now.
    private func open(on lane: isolated Lane) async throws -> FormBodyReader {
        let form = form
        let opener = SourceOpener(places: assignment.places)
        return try await lane.onDisk(disk) { () throws(Failure) in
            var sources: [FormBodyReader.Source] = []
            for part in form.parts {
                guard let source = part.file else { continue }
                let file = try opener.open(source)
                do throws(SystemError) {
                    sources.append(.init(file: file, identity: try file.identity()))
                } catch {
                    throw error.failure
                }
            }
            let sizes = sources.map(\.identity.size.rawValue)
            let body = try FormBody(parts: form.parts, sizes: sizes, boundary: .random())
            return FormBodyReader(body: body, sources: sources)
        }
    }
}
