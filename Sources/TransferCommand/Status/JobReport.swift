internal import TransferConfiguration
internal import TransferModel

/// All that is known of a job, as lines for a person.
struct JobReport {
    let job: Job
    let attempts: [Attempt]
    let places: Places
    let now: Timestamp
    /// The job that has to end before this one starts.
    var predecessor: JobID?

    var lines: [String] {
        let facts = facts.filter { !$0.text.isEmpty }
        let width = facts.map { $0.title.utf8.count }.max() ?? 0
        return facts.map { DisplayWidth.padded($0.title, to: width) + "  " + $0.text } + attemptLines
            + replyLines
    }

    private var facts: [(title: String, text: String)] {
        let line = JobLine(job, speed: attempts.last.flatMap(speed), behind: predecessor, now: now)
        return [
            ("job", "\(job.id)"), ("kind", line.kind), ("state", state), ("next", line.next),
            ("label", Shown.text(job.label ?? "")), ("route", Shown.text(job.route ?? "")),
            ("rate", job.rate.map { "at most \($0) bytes a second" } ?? ""),
            ("address", Shown.text(job.url.description)),
        ] + description + [
            ("progress", progress(line)), ("rate", line.rate), ("left", line.remaining),
            ("stage", stage), ("tries", "\(attempts.count), \(job.attempts) in a row without progress"),
            ("priority", "\(job.priority)"), ("not before", time(job.notBefore)),
            ("retry at", predecessor == nil ? time(job.retryAt) : ""),
            ("created", time(job.createdAt)), ("started", time(job.startedAt)),
            ("finished", time(job.finishedAt)),
            ("expires", job.state.name.isFinal ? "" : time(job.expiresAt)),
        ] + outcome + [
            ("key", Shown.text(job.idempotencyKey)),
            ("last error", job.lastFailure.map(text) ?? ""),
        ]
    }

    /// What was verified and how, and what else was done, one to a line.
    private var outcome: [(title: String, text: String)] {
        let notes = (job.digest ?? "").split(separator: "; ")
        return notes.enumerated().map { ($0.offset == 0 ? "outcome" : "", Shown.text(String($0.element))) }
    }

    private var state: String {
        switch job.state {
        case .held(.byRequest): "held (on request)"
        case .held(.unknownOutcome): "held (nobody knows whether it arrived)"
        case .queued, .running, .done, .failed, .cancelled, .expired: job.state.name.rawValue
        }
    }

    private var stage: String {
        switch job.stage {
        case .sending: ""
        case .sealed: job.state.name == .done ? "" : "whole body handed over"
        case .renaming: job.state.name == .done ? "" : "verified under its temporary name"
        }
    }

    private var description: [(title: String, text: String)] {
        switch job.description {
        case .upload(let upload):
            [("source", source(upload.source))] + options(upload.delivery) + options(upload.request)
        case .download(let download):
            [("target", shown(download.directory.appending(download.target)))]
                + (download.checksums ?? []).map { ("checksum", $0.description) }
                + [("checksums", download.checksumList.map { Shown.text($0.description) } ?? "")]
                + (download.mirrors ?? []).map { ("mirror", Shown.text($0.description)) }
                + options(download.delivery) + options(download.request) + options(download.fetch)
        case .form(let form):
            form.parts.map { ("part", part($0)) }
                + form.headers.map { ("header", Shown.text("\($0.name): \($0.value)")) }
                + [("unknown", form.unknownOutcome?.rawValue ?? "")] + options(form.request)
        case .remote(let remote):
            [("operation", RemoteWords.order(remote.operation)), ("result", result(remote))]
        }
    }

    private func options(_ delivery: DeliveryWishes?) -> [(title: String, text: String)] {
        DeliveryOptions.values(of: delivery ?? DeliveryWishes()).flatMap { key, values in
            values.texts.isEmpty ? [(key, "none")] : values.texts.map { (key, Shown.bytes($0.utf8)) }
        }
    }

    private func options(_ fetch: FetchWishes?) -> [(title: String, text: String)] {
        JobOptions.values(of: fetch ?? FetchWishes()).flatMap { key, values in
            values.texts.map { (key, $0) }
        }
    }

    private func options(_ request: RequestWishes?) -> [(title: String, text: String)] {
        JobOptions.values(of: request ?? RequestWishes()).flatMap { key, values in
            values.texts.map { (key, Shown.bytes($0.utf8)) }
        }
    }

    /// How to come by what a job brought for which nobody waited.
    private func result(_ remote: RemoteDescription) -> String {
        guard remote.isQueued, job.state.name == .done, remote.operation.bringsResult else { return "" }
        return "'transferctl remote result \(job.id)' shows and removes it, once"
    }

    private func part(_ part: FormPart) -> String {
        let name = Shown.bytes(part.name.utf8)
        let encoded = part.hasEncodedFilename == true ? ";filename*=utf-8" : ""
        let headers = (part.headers ?? []).map { ";headers=\"\(Shown.text("\($0.name): \($0.value)"))\"" }
        switch part.content {
        case .text(let text, let type):
            let type = type.map { " (\(Shown.text($0)))" } ?? ""
            return "\(name) = \(DisplayWidth.cut(Shown.bytes(text.utf8), to: 200))\(type)\(headers.joined())"
        case .file(let file, let type, let filename):
            let type = type.map { ";type=\(Shown.text($0))" } ?? ""
            let named = filename.map { ";filename=\(Shown.bytes($0.bytes))" } ?? ""
            return "\(name) = @\(source(file))\(type)\(named)\(encoded)\(headers.joined())"
        }
    }

    private func source(_ file: SourceFile) -> String {
        switch file.root {
        case .spool, .inPlace: shown(file.absolutePath(in: places))
        case .intake: "\(Shown.bytes(file.name.bytes)) (copied to \(shown(file.absolutePath(in: places))))"
        }
    }

    private func progress(_ line: JobLine) -> String {
        let exact = "\(job.offset) of \(job.limit?.description ?? "?") bytes"
        return line.percent.isEmpty ? exact : "\(line.percent), \(exact)"
    }

    private var attemptLines: [String] {
        guard !attempts.isEmpty else { return [] }
        return ["", "attempts"]
            + attempts.map { attempt in
                let end =
                    attempt.endedAt.map { " took \(Amount.duration($0.since(attempt.startedAt)))" }
                    ?? " running"
                let bytes = "bytes \(attempt.startOffset) to \(attempt.endOffset)"
                let said = attempt.failure.map { ": \(text($0))" } ?? ""
                return "  \(attempt.number)  \(TimeText.local(attempt.startedAt))\(end), \(bytes)\(said)"
            }
    }

    /// The server's answer, line by line, made harmless.
    private var replyLines: [String] {
        guard let reply = job.reply else { return [] }
        let body = reply.body.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        let lines = body.map { line in "  " + Shown.bytes(line.last == 0x0d ? line.dropLast() : line) }
        return ["", "answer \(reply.status), \(Shown.count(reply.body.count, "byte"))"] + lines
    }

    private func text(_ failure: Failure) -> String {
        let codes = [failure.code.map { "code \($0)" }, failure.curl.map { "curl \($0)" }].compactMap(\.self)
        let tail = [failure.class.rawValue] + codes
        let outcome = Sentences.outcome(failure, of: job)
        return "\(outcome)\(Shown.text(failure.text)) (\(tail.joined(separator: ", ")))"
    }

    private func speed(_ attempt: Attempt) -> Speed? {
        job.state.name == .running ? Speed(attempt, offset: job.offset, now: now) : nil
    }

    private func time(_ time: Timestamp?) -> String {
        guard let time else { return "" }
        let distance = time.since(now)
        let relative = Amount.duration(distance < .zero ? .zero - distance : distance)
        return TimeText.local(time) + (distance < .zero ? " (\(relative) ago)" : " (in \(relative))")
    }

    private func shown(_ path: FilePath) -> String { Shown.bytes(path.bytes) }
}
