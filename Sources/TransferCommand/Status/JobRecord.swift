internal import TransferModel

/// A job as `--json` shows it: the same names for every job, null where there is nothing.
struct JobRecord {
    private let job: Job
    private let places: Places

    init(_ job: Job, places: Places) {
        self.job = job
        self.places = places
    }

    /// One line of `status --json`.
    var json: JSONValue { .object(members) }

    /// `show --json`: with every attempt, and the order as it was given.
    func json(with attempts: [Attempt]) -> JSONValue {
        .object(
            members + [
                member("attempts_log", .array(attempts.map(JobRecord.json))),
                member("spec", SpecificationRecord(job.description, places: places).json),
            ])
    }

    private var members: [JSONValue.Member] {
        [
            member("id", .number(job.id.rawValue)),
            member("kind", .text(job.kind.rawValue)),
            member("state", .text(job.state.name.rawValue)),
            member("request", JSONValue(job.request?.rawValue)),
            member("route", JSONValue(job.route)),
            member("origin", .text(job.origin.description)),
            member("url", .text(job.url.description)),
            member("source", JSONValue(source)),
            member("destination", JSONValue(destination)),
            member("offset", .number(job.offset.rawValue)),
            member("limit", job.limit.map { .number($0.rawValue) } ?? .null),
            member("priority", JSONValue(job.priority)),
            member("attempts", JSONValue(job.attempts)),
            member("not_before", JobRecord.time(job.notBefore)),
            member("retry_at", JobRecord.time(job.retryAt)),
            member("expires_at", JobRecord.time(job.expiresAt)),
            member("created_at", JobRecord.time(job.createdAt)),
            member("started_at", JobRecord.time(job.startedAt)),
            member("finished_at", JobRecord.time(job.finishedAt)),
            member("label", JSONValue(job.label)),
            member("rate", JSONValue(job.rate.map { Int($0.bytesPerSecond) })),
            member("error", JobRecord.json(job.lastFailure)),
            member("reply", reply),
            member("digest", JSONValue(job.digest)),
        ]
    }

    /// The path that the bytes are read from; of a form with several files the first one's.
    private var source: String? {
        job.description.sources.first.map { $0.absolutePath(in: places).description }
    }

    private var destination: String? {
        switch job.description {
        case .upload, .form, .remote: nil
        case .download(let download): download.directory.appending(download.target).description
        }
    }

    /// The body as text; bytes that are no UTF-8 (a cut character at its end too) appear as U+FFFD.
    private var reply: JSONValue {
        guard let reply = job.reply else { return .null }
        return JSONValue([
            "status": JSONValue(reply.status), "body": .text(String(decoding: reply.body, as: UTF8.self)),
        ])
    }

    private static func json(_ failure: Failure?) -> JSONValue {
        guard let failure else { return .null }
        return JSONValue([
            "class": .text(failure.class.rawValue), "curl": JSONValue(failure.curl),
            "code": JSONValue(failure.code), "text": .text(failure.text),
        ])
    }

    private static func json(_ attempt: Attempt) -> JSONValue {
        JSONValue([
            "number": JSONValue(attempt.number), "started_at": time(attempt.startedAt),
            "ended_at": time(attempt.endedAt), "start_offset": .number(attempt.startOffset.rawValue),
            "end_offset": .number(attempt.endOffset.rawValue), "error": json(attempt.failure),
        ])
    }

    private static func time(_ time: Timestamp?) -> JSONValue { JSONValue(time.map(TimeText.rfc3339)) }

    private func member(_ name: String, _ value: JSONValue) -> JSONValue.Member {
        JSONValue.Member(name: name, value: value)
    }
}

extension Job {
    /// When the next try is due by our own doing; nil unless it is queued after a failure.
    var retryAt: Timestamp? {
        switch state {
        case .queued(let retryAt): retryAt
        case .running, .held, .done, .failed, .cancelled, .expired: nil
        }
    }
}

extension SourceFile {
    func absolutePath(in places: Places) -> FilePath { places.directory(of: root).appending(path) }
}
