internal import TransferConfiguration
internal import TransferModel

/// The command `enqueue`: hands sources over, records jobs, prints their numbers.
struct Enqueue {
    let session: Session
    let options: OrderOptions
    let times: Times

    /// When a job may start and when it ends, from the command line and the configuration.
    struct Times: Hashable {
        let now: Timestamp
        let notBefore: Timestamp?
        let expiresAt: Timestamp

        /// Throws when the job would be over before it could begin.
        init(_ options: OrderOptions, lifetime: Duration, now: Timestamp) throws(CommandError) {
            self.now = now
            let start = options.notBefore?.timestamp(from: now)
            notBefore = start
            // A job that waits for its day has its whole lifetime from then on.
            expiresAt = options.expires?.timestamp(from: now) ?? max(now, start ?? now) + lifetime
            guard expiresAt > now else { throw .usage("--expires names a time that is over") }
            guard expiresAt > start ?? now else {
                throw .usage("the job would expire before it may start: --expires must be after --not-before")
            }
        }
    }

    init(session: Session, options: OrderOptions, now: Timestamp = Clock.now()) throws(CommandError) {
        self.session = session
        self.options = options
        times = try Times(options, lifetime: session.expires, now: now)
    }

    /// Hands over, records, prints; the jobs stand on return.
    func run(_ order: Order) throws -> [JobID] {
        var order = order
        if case .directory(let url, let globs, let place, let wishes, let terms) = order {
            let urls = try RemoteDirectory(session: session).files(of: url, matching: globs)
            order = .download(urls, to: place, terms, wishes)
        }
        var handover = Handover(session.places)
        var ids: [JobID] = []
        for batch in try batches(order, &handover) {
            var intake = Intake(below: session.places.intake)
            var jobs: [NewJob] = []
            for draft in batch { jobs.append(try draft(&handover, &intake)) }
            ids += try record(jobs, &intake)
        }
        return ids
    }

    /// What `--wait` does; without a daemon nobody would end the jobs.
    func wait(_ ids: [JobID]) throws -> ExitStatus {
        guard session.isDaemonRunning() else {
            let isOne = ids.count == 1
            throw CommandError.later(
                "\(isOne ? "the job is" : "\(ids.count) jobs are") queued, but no transferd is running for "
                    + "'\(Shown.bytes(session.places.state.bytes))' to carry \(isOne ? "it" : "them")")
        }
        return try Wait(session: session, json: options.json).run(admitted: ids)
    }

    // MARK: - Kinds

    /// Makes one job, its sources handed over.
    private typealias Draft = (inout Handover, inout Intake) throws -> NewJob

    /// How many jobs one transaction holds: the first a few, so that a daemon begins while the others are recorded, and no
    /// one so many that the daemon has to wait long.
    private static let firstBatch = 100
    private static let batch = 400

    /// Everything is looked at before the first byte is copied. Each batch is one transaction; a job file is one alone.
    private func batches(_ order: Order, _ handover: inout Handover) throws -> [[Draft]] {
        guard case .jobs(let file) = order else {
            let drafts = try drafts(order)
            var rest = drafts.dropFirst(Enqueue.firstBatch)
            var batches = [Array(drafts.prefix(Enqueue.firstBatch))]
            while !rest.isEmpty {
                batches.append(Array(rest.prefix(Enqueue.batch)))
                rest = rest.dropFirst(Enqueue.batch)
            }
            return batches
        }
        var drafts: [Draft] = []
        for entry in try jobFile(file, &handover).entries {
            let own: [Draft]
            do {
                own = try Enqueue(session: session, options: entry.options, now: times.now).drafts(
                    entry.order)
            } catch {
                throw CommandError(error).at(entry.item.place)
            }
            drafts += own.map { draft in
                { handover, intake in
                    do {
                        return try draft(&handover, &intake)
                    } catch {
                        throw CommandError(error).at(entry.item.place)
                    }
                }
            }
        }
        return [drafts]
    }

    private func jobFile(_ file: Input, _ handover: inout Handover) throws -> JobFile {
        if file == .standardInput { try handover.takeStandardInput() }
        return try JobFile(try OpenedInput(file).content(of: file), file: file.display, options: options)
    }

    private func drafts(_ order: Order) throws -> [Draft] {
        switch order {
        case .upload(let inputs, let url, let wishes): try upload(inputs, to: url, wishes)
        case .form(let url, let fields, let headers, let unknown, let request):
            [form(url, fields, headers: headers, unknown: unknown, request)]
        case .download(let urls, let place, let terms, let wishes):
            try download(urls, to: place, terms, wishes)
        case .jobs, .directory: preconditionFailure("a job file describes no job files and no directories")
        }
    }

    private func upload(
        _ inputs: [Input], to url: TransferURL, _ wishes: JobWishes
    ) throws -> [Draft] {
        let delivery = wishes.delivery
        let held = delivery.or(session.wishes(url.origin))
        if let sentence = DeliveryOptions.contradiction(in: held, scheme: url.origin.scheme),
            delivery != DeliveryWishes()
        {
            throw CommandError.usage(
                "\(sentence); what --option does not say stands in the server's [origin]")
        }
        return try UploadPlan(inputs, to: url).items.map { item in
            { handover, intake in
                let (source, size) = try handover.source(
                    item.input, size: item.size, as: item.name, into: &intake, isFirst: true)
                let description = UploadDescription(
                    source: source, delivery: delivery == DeliveryWishes() ? nil : delivery,
                    request: wishes.request.unlessEmpty)
                return newJob(item.url, .upload(description), limit: size)
            }
        }
    }

    private func form(
        _ url: TransferURL, _ fields: [FormField], headers: [HeaderField], unknown: UnknownOutcome?,
        _ request: RequestWishes
    ) -> Draft {
        { handover, intake in
            var parts: [FormPart] = []
            // In the intake the job has one directory for all its files.
            var isFirst = true
            for field in fields {
                let content: FormPart.Content
                switch field.content {
                case .text(let text, let type): content = .text(text, type: type)
                case .file(let input, let type, let filename):
                    let (source, _) = try handover.source(
                        input, as: try input.name(), into: &intake, isFirst: isFirst)
                    if source.root == .intake { isFirst = false }
                    content = .file(source, type: type, filename: filename)
                }
                parts.append(
                    FormPart(
                        name: field.name, content: content, headers: field.headers,
                        hasEncodedFilename: field.hasEncodedFilename))
            }
            let description = FormDescription(
                parts: parts, headers: headers, unknownOutcome: unknown, request: request.unlessEmpty)
            return newJob(url, .form(description), limit: nil)
        }
    }

    private func download(
        _ urls: [TransferURL], to place: DownloadPlace, _ terms: DownloadTerms, _ wishes: JobWishes
    ) throws -> [Draft] {
        let targets = DownloadTargets(
            places: session.places, workingDirectory: try RealPath.workingDirectory())
        let descriptions = try targets.descriptions(
            urls, to: place, mayLackName: wishes.fetch.takesServerName == true)
        return try zip(urls, descriptions).map { url, description in
            var description = description
            description.checksums = terms.checksums.isEmpty ? nil : terms.checksums
            description.checksumList = try terms.list(for: url)
            description.mirrors = terms.mirrors.isEmpty ? nil : terms.mirrors
            description.delivery = wishes.delivery == DeliveryWishes() ? nil : wishes.delivery
            description.request = wishes.request.unlessEmpty
            description.fetch = wishes.fetch == FetchWishes() ? nil : wishes.fetch
            return { [description] _, _ in newJob(url, .download(description), limit: nil) }
        }
    }

    // MARK: - Recording

    private func newJob(_ url: TransferURL, _ description: JobDescription, limit: ByteCount?) -> NewJob {
        NewJob(
            url: url, description: description, priority: options.priority, label: options.label,
            idempotencyKey: RandomToken.make(), notBefore: times.notBefore, expiresAt: times.expiresAt,
            createdAt: times.now, limit: limit, rate: options.rate)
    }

    /// One transaction; the copies are on the disk before it and belong to the jobs after it.
    private func record(_ jobs: [NewJob], _ intake: inout Intake) throws -> [JobID] {
        try intake.makeDurable()
        let committed = try session.store.commit(Turn(changes: jobs.map { .admitted($0) }), at: times.now)
        intake.keep()
        for (id, new) in zip(committed.admitted, jobs) {
            guard options.json else {
                session.output.line("\(id)")
                continue
            }
            let job = Job(id: id, new: new, state: .queued(retryAt: nil), limit: new.limit)
            session.line(JobRecord(job, places: session.places).json)
        }
        session.output.flush()
        return committed.admitted
    }
}

extension RequestWishes {
    /// nil when nothing is wished.
    fileprivate var unlessEmpty: RequestWishes? { self == RequestWishes() ? nil : self }
}
