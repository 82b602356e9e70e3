import Glibc
import TransferModel
import TransferSpool
import TransferStore

/// The daemon's dealings with files: from the spool into the table, and away when a job has ended.
extension Daemon {
    /// How many files are claimed, or disposed of, in one turn.
    static let batch = 256

    func spoolChanged() {
        let now = clock.now
        spool.eventsReady(now: now)
        takeFromSpool(now)
        setAlarm()
    }

    func rescan(_ now: MonotonicTime) {
        spool.rescan(now: now)
        duties.disposal = true
        lookAgain()
    }

    private func lookAgain() {
        if (try? table.hasForeignChanges()) == true {
            duties.demands = true
            duties.requests = true
            duties.expiry = true
        }
    }

    /// Claims what has settled. Not while the table is held: a claimed file should have its row at once.
    func takeFromSpool(_ now: MonotonicTime) {
        guard !ledger.isBusy, !duties.isStopping else { return }
        let files = spool.takeReady(now: now, limit: Self.batch)
        for file in files { admit(file) }
        if !files.isEmpty { scheduleTurn() }
    }

    func admit(_ file: ClaimedFile) {
        guard let route = settings.route(file.route) else { return }
        let job = route.job(
            for: file.source, size: file.size, key: .randomKey(), now: clock.wall,
            expires: settings.general.expires)
        ledger.record(.admitted(job))
        decide(.due(job.url.origin, clock.now))
        log(.information, "taken from the spool route=\(route.name) name=\(file.source.name) size=\(file.size)")
    }

    /// Deletes, archives or puts aside the files of jobs whose end is committed.
    func dispose() throws(StoreError) {
        let jobs = try table.undisposed(limit: Self.batch)
        duties.disposal = jobs.count == Self.batch
        for job in jobs {
            do {
                let moved = try dispose(of: job)
                ledger.record(.disposed(job.id, moved))
            } catch {
                log(.error, "the files of job \(job.id) are still there: \(error)")
                duties.disposal = false
            }
        }
        if !jobs.isEmpty { scheduleTurn() }
    }

    /// Returns the job's description where its source has a new place.
    private func dispose(of job: Job) throws -> JobDescription? {
        var description = job.description
        for source in job.description.sources {
            switch source.root {
            case .inPlace: break
            case .intake: try Intake(places: settings.places).dispose(of: source, job: job)
            case .spool:
                let moved = try spool.dispose(source, of: job.route, as: disposal(of: job))
                if let moved { description = description.replacing(source, with: moved) }
            }
        }
        return description == job.description ? nil : description
    }

    private func disposal(of job: Job) -> Disposal {
        switch job.state {
        case .done:
            job.route.flatMap(settings.route)?.after == .archive ? .archive : .delete
        case .failed: .keepFailed(reason: "job \(job.id) failed: \(job.lastFailure?.text ?? "no reason was recorded")")
        case .cancelled: .keepFailed(reason: "job \(job.id) was cancelled")
        case .expired:
            .keepFailed(
                reason: "job \(job.id) expired; its last error was: \(job.lastFailure?.text ?? "none, it never started")")
        case .queued, .running, .held: preconditionFailure("only a job at its end is disposed of")
        }
    }
}

extension JobDescription {
    /// The description with one of its sources in a new place.
    func replacing(_ source: SourceFile, with moved: SourceFile) -> JobDescription {
        switch self {
        case .upload: return .upload(UploadDescription(source: moved))
        case .form(var form):
            form.parts = form.parts.map { part in
                guard case .file(source, let type, let filename) = part.content else { return part }
                return FormPart(name: part.name, content: .file(moved, type: type, filename: filename ?? source.name))
            }
            return .form(form)
        case .download: return self
        }
    }
}

extension String {
    /// 128 bits from the system's random source, in hexadecimal.
    static func randomKey() -> String {
        (0..<2).map { _ in
            let digits = String(UInt64.random(in: .min ... .max), radix: 16)
            return String(repeating: "0", count: 16 - digits.count) + digits
        }.joined()
    }
}
