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
        switch order {
        case .upload(let inputs, let url, let wishes): try upload(inputs, to: url, wishes)
        case .form(let url, let fields, let headers, let unknown, let request):
            try form(url, fields, headers: headers, unknown: unknown, request)
        case .download(let urls, let place, let checksum, let wishes):
            try download(urls, to: place, checksum: checksum, wishes)
        }
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

    /// How many jobs one transaction holds.
    private static let batch = 1000

    private func upload(
        _ inputs: [Input], to url: TransferURL, _ wishes: JobWishes
    ) throws -> [JobID] {
        let delivery = wishes.delivery
        let held = delivery.or(session.wishes(url.origin))
        if let sentence = DeliveryOptions.contradiction(in: held, scheme: url.origin.scheme),
            delivery != DeliveryWishes()
        {
            throw CommandError.usage(
                "\(sentence); what --option does not say stands in the server's [origin]")
        }
        let plan = try UploadPlan(inputs, to: url)
        var handover = Handover(session.places)
        var ids: [JobID] = []
        for start in stride(from: 0, to: plan.items.count, by: Enqueue.batch) {
            let items = plan.items[start..<min(start + Enqueue.batch, plan.items.count)]
            var intake = Intake(below: session.places.intake)
            var jobs: [NewJob] = []
            for item in items {
                let (source, size) = try handover.source(
                    item.input, size: item.size, as: item.name, into: &intake, isFirst: true)
                let description = UploadDescription(
                    source: source, delivery: delivery == DeliveryWishes() ? nil : delivery,
                    request: wishes.request.unlessEmpty)
                jobs.append(newJob(item.url, .upload(description), limit: size))
            }
            ids += try record(jobs, &intake)
        }
        return ids
    }

    private func form(
        _ url: TransferURL, _ fields: [FormField], headers: [HeaderField], unknown: UnknownOutcome?,
        _ request: RequestWishes
    ) throws -> [JobID] {
        var intake = Intake(below: session.places.intake)
        var handover = Handover(session.places)
        var parts: [FormPart] = []
        var hasStandardInput = false
        // In the intake the job has one directory for all its files.
        var isFirst = true
        for field in fields {
            switch field.content {
            case .text(let text): parts.append(FormPart(name: field.name, content: .text(text)))
            case .file(let input, let type, let filename):
                if input == .standardInput {
                    guard !hasStandardInput else {
                        throw CommandError.usage("only one part can be standard input")
                    }
                    hasStandardInput = true
                }
                let name = try input.name()
                let (source, _) = try handover.source(input, as: name, into: &intake, isFirst: isFirst)
                if source.root == .intake { isFirst = false }
                parts.append(
                    FormPart(name: field.name, content: .file(source, type: type, filename: filename)))
            }
        }
        let description = FormDescription(
            parts: parts, headers: headers, unknownOutcome: unknown, request: request.unlessEmpty)
        return try record([newJob(url, .form(description), limit: nil)], &intake)
    }

    private func download(
        _ urls: [TransferURL], to place: DownloadPlace, checksum: Checksum?, _ wishes: JobWishes
    ) throws -> [JobID] {
        let targets = DownloadTargets(
            places: session.places, workingDirectory: try RealPath.workingDirectory())
        let descriptions = try targets.descriptions(urls, to: place, checksum: checksum)
        let jobs = zip(urls, descriptions).map { url, description in
            var description = description
            description.request = wishes.request.unlessEmpty
            description.fetch = wishes.fetch == FetchWishes() ? nil : wishes.fetch
            return newJob(url, .download(description), limit: nil)
        }
        var intake = Intake(below: session.places.intake)
        var ids: [JobID] = []
        for start in stride(from: 0, to: jobs.count, by: Enqueue.batch) {
            ids += try record(Array(jobs[start..<min(start + Enqueue.batch, jobs.count)]), &intake)
        }
        return ids
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
