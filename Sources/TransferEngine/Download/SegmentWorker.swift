internal import TransferModel

/// Takes part in a download that another lane carries: fetches one segment after the other, until there is none, or its
/// lane is wanted elsewhere.
struct SegmentWorker {
    private let assignment: Assignment

    init(_ assignment: Assignment) { self.assignment = assignment }

    /// Throws the ``Failure`` of its own connection, or the ``Stop``; what it had begun is then anybody's.
    func run(on lane: isolated Lane) async throws {
        let share = assignment.share
        guard let work = share.work, let (place, known) = work.place.part(at: lane.origin, work.known) else {
            return
        }
        let fetch = HTTPFetch(place: place, terms: RequestTerms(assignment))
        var looks = 0
        while share.work?.file === work.file, share.helpers[lane.origin] != nil {
            if let segment = work.file.take(isHelper: true) {
                looks = 0
                try await carry(segment, of: work, known, fetch, on: lane)
            } else {
                // A connection that has just fallen silent is not known for it yet.
                looks += 1
                guard looks < Self.mostLooks, work.file.rest > 0 else { return }
                try await lane.pause(for: .seconds(1))
            }
        }
    }

    /// How often a lane looks for something to do before it leaves, once a second.
    private static let mostLooks = 6

    private func carry(
        _ segment: DownloadSegment, of work: DownloadShare.Work, _ known: Checkpoint.Validator,
        _ fetch: HTTPFetch, on lane: isolated Lane
    ) async throws {
        defer {
            segment.release()
            assignment.share.noteChange()
        }
        do {
            try await self.fetch(segment, of: work, known, fetch, on: lane)
        } catch let failure as Failure where failure.isCut(after: segment.gain) {
            lane.report(.notice(severity: 7, text: "job \(assignment.job.id), a segment: \(failure.text)"))
        }
    }

    private func fetch(
        _ segment: DownloadSegment, of work: DownloadShare.Work, _ known: Checkpoint.Validator,
        _ fetch: HTTPFetch, on lane: isolated Lane
    ) async throws {
        var question = DownloadQuestion(hasChecksum: work.place.hasChecksum)
        question.known = known
        question.aim(at: segment.window, of: work.file.total)
        let isForeign = lane.origin != work.place.address.origin
        let share = assignment.share
        let decision = try await fetch.ask(question, on: lane) { decision, body in
            guard case .append = decision else { return false }
            if isForeign { share.noteMixture() }
            body.store(in: segment)
            return true
        }
        switch decision {
        case .append: break
        case .failed(let failure):
            if isForeign { leaveOut(lane, because: failure.text) }
            throw failure
        case .askAgain(_, let reason): stop(because: reason, on: lane, isForeign)
        case .replace: stop(because: "the server sent the whole file for a part of it", on: lane, isForeign)
        case .complete: stop(because: "the server has no such part of the file", on: lane, isForeign)
        case .unchanged: preconditionFailure("a part is asked for without conditions on another file")
        case .redirected: preconditionFailure("redirects are followed where they come")
        }
    }

    private func stop(because reason: String, on lane: isolated Lane, _ isForeign: Bool) {
        guard !isForeign else { return leaveOut(lane, because: reason) }
        guard assignment.share.breakUp() else { return }
        lane.report(.divisible(assignment.job.id, lanes: [:]))
        lane.report(
            .notice(
                severity: 6,
                text: "job \(assignment.job.id) is fetched over one connection from now on: \(reason)"))
    }

    /// The lane's server, which is not the job's, brings no parts of this file.
    private func leaveOut(_ lane: isolated Lane, because reason: String) {
        guard assignment.share.exclude(lane.origin) else { return }
        lane.report(.divisible(assignment.job.id, lanes: assignment.share.helpers))
        lane.report(
            .notice(
                severity: 6,
                text: "job \(assignment.job.id) is fetched without \(lane.origin) from now on: \(reason)"))
    }
}
