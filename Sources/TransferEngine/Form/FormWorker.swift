internal import TransferModel

/// Posts one form: its parts in order, its files streamed, and the last bytes only after the seal is durable.
struct FormWorker: Worker {
    private let assignment: Assignment
    private let disk = DiskQueue()

    /// Bodies that are repeated at another address of the server, at most.
    private static let mostRedirects = 5

    /// What a server lacks that has ended one without having said so.
    private static let keptConnections = "kept connections"

    init(_ assignment: Assignment) { self.assignment = assignment }

    func run(on lane: isolated Lane) async throws -> Outcome.Arrival {
        try assignment.requireLogin()
        let terms = RequestTerms(assignment)
        let file = try await ReplyFile.prepare(assignment, disk, on: lane)
        do {
            let (size, reply) = try await post(terms, file, on: lane)
            if let problem = await file?.put() { tell(problem, on: lane) }
            return Outcome.Arrival(size: ByteCount(rawValue: size), reply: reply)
        } catch let failure as Failure where failure.reply != nil {
            if let problem = await file?.put() { tell(problem, on: lane) }
            throw failure
        } catch {
            await file?.discard()
            throw error
        }
    }

    private func tell(_ problem: Failure, on lane: isolated Lane) {
        lane.report(
            .notice(
                severity: 4,
                text: "job \(assignment.job.id): the answer could not be written to its file: \(problem.text)"
            ))
    }

    /// Posts until there is an answer that is one.
    private func post(
        _ terms: RequestTerms, _ file: ReplyFile?, on lane: isolated Lane
    ) async throws -> (size: Int64, Reply?) {
        var target: TransferURL?
        for _ in 0...Self.mostRedirects {
            try await terms.askForChallenge(target ?? assignment.job.url, on: lane)
            let (verdict, size, reply) = try await post(to: target, terms, file, on: lane)
            switch verdict {
            case .arrived: return (size, reply)
            case .repeated(let url, let wait):
                target = url
                if wait > .zero { try await lane.pause(for: wait) }
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
        to target: TransferURL?, _ terms: RequestTerms, _ file: ReplyFile?, on lane: isolated Lane
    ) async throws -> (FormVerdict, size: Int64, Reply?) {
        // What an earlier post left unknown is answered by the decision to post again.
        if lane.stage != .sending { lane.record(.sending, lane.checkpoint) }
        let (content, body) = try await open(on: lane)
        defer { body.cancel() }
        let url = target ?? content.url
        let length = content.body.length
        assignment.progress.begin(at: .zero, limit: ByteCount(rawValue: length))
        let exchange = FormExchange(
            body, progress: assignment.progress, hasAsked: terms.expects(on: lane),
            file: try await file?.begin(on: lane))
        let answer: Answer
        do {
            var request = request(to: url, content, exchange)
            terms.apply(to: &request, method: "POST", url: url, bodyLength: length, on: lane)
            if mayBeOnePiece(terms, on: lane), let (seal, piece) = body.sealAhead() {
                request.licence = seal
                request.piece = piece
                request.onAsk = { exchange.handOver(length) }
                request.mayRepeat = false
            }
            answer = try await lane.perform(request)
        } catch {
            unseal(body, on: lane)
            throw stopped(error, isSealed: body.isSealed)
        }
        unseal(body, on: lane)
        if answer.error != nil, body.isSealed { lane.memory.noteLack(of: Self.keptConnections) }
        if terms.isToRepeat(after: exchange.head, from: url, on: lane) {
            return (.repeated(url), length, nil)
        }
        let facts = FormVerdict.Facts(
            url: url, head: exchange.head, excerpt: exchange.answer.kept,
            isWholeAnswer: exchange.answer.isWhole, rules: AnswerRules(assignment.request),
            sentWhole: answer.uploaded == length, sealed: body.isSealed, loggedIn: terms.logsIn(at: url),
            keptConnectionBroke: answer.brokeKeptConnection,
            exchange: answer.failure(doing: "posting to \(url)"), now: .now())
        let status = exchange.head.status
        let reply = status == 0 ? nil : exchange.reply
        return (FormVerdict.decide(facts), length, reply)
    }

    /// Whether the seal may be asked for before anything is sent: the server is there, and the whole body goes at once.
    private func mayBeOnePiece(_ terms: RequestTerms, on lane: isolated Lane) -> Bool {
        lane.hasJustAnswered && !lane.memory.lacks(Self.keptConnections) && !terms.expects(on: lane)
            && assignment.rates.largestPiece == nil
    }

    /// A seal that was asked for, and not used, says nothing.
    private func unseal(_ body: any SealedBody, on lane: isolated Lane) {
        if !body.isSealed, lane.stage == .sealed { lane.record(.sending, lane.checkpoint) }
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

    private func request(to url: TransferURL, _ content: FormContent, _ exchange: FormExchange) -> Request {
        var request = Request(url: url.requestText)
        request.headers = headers(content)
        request.set(.post, true)
        request.set(.postSize, content.body.length)
        request.body = exchange
        request.sink = exchange.answer
        request.onLine = { exchange.take($0) }
        return request
    }

    /// Those of the form; what else is said of the request stands in its terms.
    private func headers(_ content: FormContent) -> [String] {
        var lines = ["Content-Type: \(content.body.contentType)"]
        let own = content.headers.map { $0.name.lowercased() }
        if let name = assignment.request.idempotencyName, !own.contains(name.lowercased()) {
            lines.append("\(name): \(assignment.job.idempotencyKey)")
        }
        return lines + content.headers.map(\.line)
    }

    /// With the header fields that its route and origin add.
    private var form: FormDescription {
        switch assignment.job.description {
        case .form(var form):
            form.headers = assignment.request.headers ?? []
            return form
        case .upload, .download, .remote: preconditionFailure("a form's worker is given forms")
        }
    }

    private func open(on lane: isolated Lane) async throws -> (FormContent, any SealedBody) {
        let form = form
        let job = assignment.job
        let places = assignment.places
        if let small = try SmallForm(form, of: job, below: places) {
            let body = SmallFormBody(
                small, askForSeal: { lane.requestCommit(.sealed, lane.checkpoint) },
                wake: { lane.resume() })
            return (small.content, body)
        }
        let digests = SourceDigests(FormFilling.needsSHA256(form, at: job.url) ? [.sha256] : [])
        defer { digests?.giveUp() }
        let content = try await lane.onDisk(disk) { () throws(Failure) in
            try FormContent.open(form, of: job, below: places, digests: digests)
        }
        return (content, produce(content, on: lane))
    }

    /// Begins to read at once.
    private func produce(_ content: FormContent, on lane: isolated Lane) -> FormProducer {
        let job = assignment.job.id
        let seal: @Sendable (FormProducer) -> Void = { producer in
            lane.assumeIsolated { lane in
                lane.keep(.sealed, lane.checkpoint)
                lane.report(.staged(job, .sealed, lane.checkpoint, durable: { producer.sealed() }))
            }
        }
        let reader = FormBodyReader(body: content.body, sources: content.sources)
        let producer = FormProducer(reader, on: disk, wake: { lane.resume() }, askForSeal: seal)
        producer.start()
        return producer
    }
}
