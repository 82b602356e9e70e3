internal import TransferModel

/// Takes part in a download that another lane carries: fetches one segment after the other, until there is none, or its
/// lane is wanted elsewhere.
struct SegmentWorker {
    private let assignment: Assignment

    init(_ assignment: Assignment) { self.assignment = assignment }

    /// Throws the ``Failure`` of its own connection, or the ``Stop``; what it had begun is then anybody's.
    func run(on lane: isolated Lane) async throws {
        let share = assignment.share
        guard let work = share.work else { return }
        let fetch = HTTPFetch(place: work.place, terms: RequestTerms(assignment))
        while share.work?.file === work.file, let segment = work.file.take() {
            defer {
                segment.release()
                share.noteChange()
            }
            do {
                try await self.fetch(segment, of: work, fetch, on: lane)
            } catch let failure as Failure where failure.isCut(after: segment.gain) {
                lane.report(
                    .notice(severity: 7, text: "job \(assignment.job.id), a segment: \(failure.text)"))
            }
        }
    }

    private func fetch(
        _ segment: DownloadSegment, of work: DownloadShare.Work, _ fetch: HTTPFetch, on lane: isolated Lane
    ) async throws {
        var question = DownloadQuestion(hasChecksum: work.place.hasChecksum)
        question.known = work.known
        question.aim(at: segment.window, of: work.file.total)
        let decision = try await fetch.ask(question, on: lane) { decision, body in
            guard case .append = decision else { return false }
            body.store(in: segment)
            return true
        }
        switch decision {
        case .append: break
        case .failed(let failure): throw failure
        case .askAgain(_, let reason): stop(work, because: reason, on: lane)
        case .replace: stop(work, because: "the server sent the whole file for a part of it", on: lane)
        case .complete: stop(work, because: "the server has no such part of the file", on: lane)
        case .unchanged: preconditionFailure("a part is asked for without conditions on another file")
        case .redirected: preconditionFailure("redirects are followed where they come")
        }
    }

    private func stop(_ work: DownloadShare.Work, because reason: String, on lane: isolated Lane) {
        guard assignment.share.breakUp() else { return }
        lane.report(.divisible(assignment.job.id, lanes: 0))
        lane.report(
            .notice(
                severity: 6,
                text: "job \(assignment.job.id) is fetched over one connection from now on: \(reason)"))
    }
}
