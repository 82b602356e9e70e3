import Glibc
import TransferEngine
import TransferModel
import TransferSpool
import TransferStore

/// The daemon's dealings with files: from the spool into the table, and away when a job has ended.
extension Daemon {
    /// How many files are claimed, or disposed of, in one turn.
    static let batch = 256
    /// The shortest time between two disposals.
    static let disposalInterval = Duration.milliseconds(100)

    func spoolChanged() {
        let now = clock.now
        spool.eventsReady(now: now)
        takeFromSpool(now)
        setAlarm()
    }

    func rescan(_ now: MonotonicTime) {
        spool.rescan(now: now)
        duties.disposal = true
        duties.undisposable = []
        lookAtTable()
        if duties.sweptAt.map({ now.since($0) > .seconds(3600) }) ?? true {
            duties.sweptAt = now
            sweepIntake()
            sweepResults()
        }
        if duties.sweptForgottenAt.map({ now.since($0) > .seconds(86_400) }) ?? true {
            duties.sweptForgottenAt = now
            sweepForgotten()
        }
    }

    /// Claims what has settled. Not while the table is held: a claimed file should have its row at once.
    func takeFromSpool(_ now: MonotonicTime) {
        guard !ledger.isBlocked, !duties.isStopping else { return }
        let files = spool.takeReady(now: now, limit: Self.batch)
        for file in files { admit(file) }
        guard !files.isEmpty else { return }
        duties.troubles = true
        scheduleTurn()
    }

    func admit(_ file: ClaimedFile) {
        guard let route = settings.route(file.route) else { return }
        let job = route.job(
            for: file.source, size: file.size, key: .randomKey(), now: clock.wall,
            expires: settings.general.expires)
        ledger.record(.admitted(job), isUrgent: true)
        decide(.due(job.url.origin, clock.now))
        log(
            .information,
            "taken from the spool route=\(route.name) name=\(file.source.name) size=\(file.size)")
    }

    /// Deletes, archives or puts aside the files of jobs whose end is committed; recorded when that is durable.
    func dispose() throws(StoreError) {
        duties.disposalAt = clock.now + Self.disposalInterval
        let limit = Self.batch + duties.undisposable.count
        let found = try table.undisposed(limit: limit)
        duties.disposal = found.count == limit
        if duties.disposal { duties.disposalAt = clock.now }
        var disposed: [JobChange] = []
        for job in found where !duties.undisposable.contains(job.id) {
            do throws(SpoolError) {
                disposed.append(.disposed(job.id, try dispose(of: job)))
                if job.state.name != .done, let path = job.checkpoint.remains {
                    admitRemoval(of: path, leftBy: job)
                }
            } catch {
                duties.undisposable.insert(job.id)
                sayUndisposed(error)
            }
        }
        do throws(SpoolError) {
            try spool.synchronize()
        } catch {
            duties.disposal = false
            return sayUndisposed(error)
        }
        if duties.undisposable.isEmpty { duties.saidUndisposed = RepeatedWords() }
        for change in disposed { ledger.record(change) }
        if !disposed.isEmpty { scheduleTurn() }
    }

    /// What an upload that has ended left at its server is removed by a job of its own, which waits for the server as any
    /// other does.
    func admitRemoval(of path: FilePath, leftBy job: Job) {
        let end = job.finishedAt ?? clock.wall
        ledger.record(
            .admitted(
                NewJob(
                    url: TransferURL(job.origin),
                    description: .remote(RemoteDescription(.removeRemains(path), isQueued: true)),
                    label: "what job \(job.id) left", idempotencyKey: "remains-\(job.id)-\(end.rawValue)",
                    expiresAt: clock.wall + settings.general.expires, createdAt: clock.wall)))
        decide(.due(job.origin, clock.now))
    }

    /// Each rescan tries it again.
    private func sayUndisposed(_ error: SpoolError) {
        let isNews = duties.saidUndisposed.isNews("\(error)", of: "\(error)", now: clock.now)
        log(
            isNews ? .error : .debugging,
            "files of a job that has ended cannot be disposed of and are tried again later: \(error)")
    }

    /// Returns the job's description where its source has a new place.
    private func dispose(of job: Job) throws(SpoolError) -> JobDescription? {
        DownloadRemains.remove(of: job, in: settings.places)
        var description = job.description
        let disposal = disposal(of: job)
        for source in job.description.sources {
            let moved = try spool.dispose(source, as: disposal)
            if let moved, moved != source { description = description.replacing(source, with: moved) }
        }
        return description == job.description ? nil : description
    }

    private func disposal(of job: Job) -> Disposal {
        let error = job.lastFailure?.text
        switch job.state {
        case .done: return keepsArrived(job) ? .archive : .delete
        case .failed(let at): return keep(job, at, "failed: \(error ?? "no reason was recorded")")
        case .cancelled(let at): return isHandedOver(job) ? .delete : keep(job, at, "cancelled by request")
        case .expired(let at):
            return keep(
                job, at, error.map { "expired; its last error: \($0)" } ?? "expired before it could start")
        case .queued, .running, .held: preconditionFailure("only a job at its end is disposed of")
        }
    }

    /// Of a route that the configuration names no more nobody knows what was wished; then nothing is deleted. Nor is
    /// what was not sent, because its name was taken.
    private func keepsArrived(_ job: Job) -> Bool {
        if job.checkpoint.isLeftOut == true { return true }
        guard let name = job.route else { return false }
        return settings.route(name)?.after != .delete
    }

    private func keep(_ job: Job, _ time: Timestamp, _ reason: String) -> Disposal {
        .keepFailed(FailedReason(reason, job: job.id, at: time))
    }

    private func isHandedOver(_ job: Job) -> Bool { job.description.sources.contains { $0.root == .intake } }

    /// What remote jobs brought and nobody has read is kept for a while only.
    func sweepResults() {
        let time = settings.general.keepFailed
        let count = RemoteResults.sweep(in: settings.places, olderThan: time, now: clock.wall) { id in
            do {
                return try table.job(id).map { !$0.state.name.isFinal } ?? false
            } catch {
                return true
            }
        }
        if count > 0 { log(.information, "results that nobody has read were removed count=\(count)") }
    }

    /// What failed jobs were handed is kept for a while only.
    func sweepIntake() {
        do throws(SpoolError) {
            try spool.sweepIntake(olderThan: settings.general.keepFailed, now: clock.wall) { id in
                guard let job = try? table.job(id) else { return false }
                return !job.state.name.isFinal
            }
        } catch {
            sayUnswept(error)
        }
    }

    /// What an 'enqueue' copied that was killed before its job stood is of no use to anybody.
    func sweepForgotten() {
        do throws(SpoolError) {
            try spool.sweepForgotten(olderThan: .seconds(86_400), now: clock.wall) {
                try? table.intakeDirectories()
            }
        } catch {
            sayUnswept(error)
        }
    }

    /// There is no intake before the first job was handed over.
    private func sayUnswept(_ error: SpoolError) {
        if error.code != ENOENT { log(.warning, "the intake cannot be swept: \(error)") }
    }
}

extension JobDescription {
    /// The description with one of its sources in a new place.
    func replacing(_ source: SourceFile, with moved: SourceFile) -> JobDescription {
        switch self {
        case .upload(var upload):
            upload.source = moved
            return .upload(upload)
        case .form(var form):
            form.parts = form.parts.map { $0.moved(source, to: moved) }
            return .form(form)
        case .download, .remote: return self
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
