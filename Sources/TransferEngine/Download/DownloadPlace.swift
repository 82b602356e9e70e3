internal import Synchronization
internal import TransferModel

/// Where one download's bytes go while it runs: its directory, its temporary file, and who is told about them.
struct DownloadPlace: Sendable {
    /// As far as it has come where its bytes are fetched from now.
    private(set) var job: Job
    /// Where they are: the job's own address, or the one of ``mirror``.
    var address: TransferURL
    /// Which of the job's further addresses it is; nil: none.
    var mirror: Int?
    /// What the file has to be, whatever its server says.
    var given: [DownloadClaim]
    private let assigned: AssignedDownload
    let current = Current()

    var description: DownloadDescription { assigned.description }
    var directory: DownloadDirectory { assigned.directory }
    var disk: DiskQueue { assigned.disk }
    var wishes: FetchWishes { assigned.wishes }
    var delivery: DeliveryWishes { assigned.delivery }
    var progress: Progress { assigned.assignment.progress }
    /// Connections that the origin may have.
    var lanes: Int { assigned.assignment.origin.lanes }
    var rates: Rates { assigned.assignment.rates }
    /// Further addresses of the file at other origins.
    var sources: [DownloadSource] { assigned.assignment.sources }
    /// What other lanes may take part in.
    var share: DownloadShare { assigned.assignment.share }

    final class Current: Sendable {
        let state = Mutex(State())
    }

    struct State {
        var file: DownloadFile?
        var segment: DownloadSegment?
        var held: HeldBody?

        init() {}

        init(_ file: DownloadFile, _ segment: DownloadSegment?) {
            self.file = file
            self.segment = segment
        }
    }

    init(
        _ assignment: Assignment, _ description: DownloadDescription, _ directory: DownloadDirectory,
        _ disk: DiskQueue
    ) {
        job = assignment.job
        address = job.url
        given = Self.ordered(description)
        assigned = AssignedDownload(assignment, description, directory, disk)
    }

    /// The temporary file of this attempt; of the one before while nothing was replaced.
    var file: DownloadFile? { current.state.withLock { $0.file } }

    /// What the last body went into.
    var segment: DownloadSegment? { current.state.withLock { $0.segment } }

    /// Whether something besides the server tells a file of two versions from a whole one.
    var hasChecksum: Bool { !given.isEmpty }

    /// The same, to be gone on with at another address.
    func goingOn(_ checkpoint: Checkpoint) -> DownloadPlace {
        var place = self
        let advance = progress.advance
        place.job.checkpoint = checkpoint
        place.job.offset = advance.offset
        place.job.missing = advance.missing
        current.state.withLock { $0.segment = nil }
        return place
    }

    /// What is known of the version of the bytes that are there, as far as it means something at ``address``.
    func known(_ checkpoint: Checkpoint) -> Checkpoint.Validator {
        let known = checkpoint.validator ?? Checkpoint.Validator()
        return checkpoint.mirror == mirror ? known : elsewhere(known) ?? Checkpoint.Validator()
    }

    /// Opens the file that an earlier attempt left, with the bytes that are known to be durable; nil when there is none
    /// that is beyond doubt our own.
    ///
    /// - Parameter overlap: bytes before the offset that the server is asked for again, to compare.
    func resume(overlap: Int64 = 0, on lane: isolated Lane) async throws -> DownloadFile? {
        guard let temporary = job.checkpoint.localTemporary, job.offset > .zero,
            let (plan, end) = plan(overlap: overlap)
        else { return nil }
        let place = self
        let file = try await lane.onDisk(disk) { () throws(Failure) -> DownloadFile? in
            guard let file = place.directory.reopen(temporary, holding: end) else { return nil }
            return try DownloadFile(
                resumed: file, as: temporary, plan, compared: overlap > 0 ? end : 0,
                digests: place.claims(place.job.checkpoint.validator).algorithms, progress: place.progress)
        }
        if let file {
            progress.begin(at: job.offset, limit: job.checkpoint.validator?.total, missing: job.missing)
            current.state.withLock { $0 = State(file, nil) }
        }
        return file
    }

    /// What an earlier attempt left to fetch, and how long its file has to be; nil when nobody can know.
    private func plan(overlap: Int64) -> (SegmentPlan, end: Int64)? {
        let total = job.checkpoint.validator?.total?.rawValue
        let offset = job.offset.rawValue
        guard let last = job.missing.last else {
            let start = max(0, offset - overlap)
            return (SegmentPlan(from: start, durable: offset, total: total), offset)
        }
        guard let total else { return nil }
        let end = last.limit == total ? last.offset : total
        return (SegmentPlan(missing: job.missing, total: total), end)
    }

    /// `body` goes into a fresh file from its first byte on.
    ///
    /// The file and its version are reported before a byte of it counts. Where an earlier file is on record, not even a
    /// byte is written before that is durable: the new file may have the old one's inode.
    func replace(with piece: DownloadPiece, _ body: DownloadBody, on lane: isolated Lane) {
        progress.begin(at: .zero, limit: piece.total.map(ByteCount.init(rawValue:)))
        let place = self
        let mustWait = lane.checkpoint.localTemporary != nil
        share.close()
        disk.run {
            do throws(Failure) {
                place.file?.retire()
                if let objection = place.objection(toSize: piece.total) { throw objection }
                let (file, segment) = try place.begin(piece)
                lane.onQueue { lane in
                    place.report(file, piece, on: lane) { if mustWait { body.store(in: segment) } }
                    if !mustWait { body.store(in: segment) }
                }
            } catch {
                body.fail(error)
            }
        }
    }

    /// A fresh file, on the disk queue.
    func begin(_ piece: DownloadPiece) throws(Failure) -> (DownloadFile, DownloadSegment) {
        let name = directory.temporaryName(job.id)
        let file = try DownloadFile(
            fresh: directory.create(name), name: name, total: piece.total,
            digests: claims(piece.validator).algorithms, progress: progress)
        let segment = file.takeWhole()
        current.state.withLock { $0 = State(file, segment) }
        return (file, segment)
    }

    private func report(
        _ file: DownloadFile, _ piece: DownloadPiece, on lane: isolated Lane,
        recorded: @escaping @Sendable () -> Void
    ) {
        var checkpoint = noting(piece, in: lane.checkpoint)
        checkpoint.localTemporary = file.temporary
        lane.keep(.sending, checkpoint)
        let place = self
        let durable: @Sendable () -> Void = {
            file.mayCount()
            recorded()
            lane.onQueue { place.divide(file, piece, on: $0) }
        }
        lane.report(.staged(job.id, .sending, checkpoint, durable: durable))
    }

    /// With what is known of the file that `piece` belongs to.
    func noting(_ piece: DownloadPiece, in checkpoint: Checkpoint) -> Checkpoint {
        var checkpoint = checkpoint
        checkpoint.validator = piece.validator
        checkpoint.mirror = mirror
        checkpoint.chosenName = wishes.takesServerName == true ? piece.toldName : nil
        return checkpoint
    }

    /// `body` goes on where the file ends.
    func append(_ piece: DownloadPiece, _ body: DownloadBody, on lane: isolated Lane) {
        guard let segment = file?.take() else {
            preconditionFailure("a part is only asked for where there is a file that lacks it")
        }
        append(piece, body, in: segment, on: lane)
    }

    /// `body` goes into `segment`.
    func append(
        _ piece: DownloadPiece, _ body: DownloadBody, in segment: DownloadSegment, on lane: isolated Lane
    ) {
        current.state.withLock { $0.segment = segment }
        if let total = piece.total { segment.file.learn(total: total) }
        progress.setLimit(piece.total.map(ByteCount.init(rawValue:)))
        if lane.checkpoint.validator != piece.validator || lane.checkpoint.mirror != mirror {
            var checkpoint = lane.checkpoint
            checkpoint.validator = piece.validator
            checkpoint.mirror = mirror
            lane.record(.sending, checkpoint)
        }
        body.store(in: segment)
        divide(segment.file, piece, on: lane)
    }

    /// The next body goes into `segment`.
    func enter(_ segment: DownloadSegment) { current.state.withLock { $0.segment = segment } }

    /// What the body that has ended leaves to do.
    func conclude(_ piece: DownloadPiece) -> DownloadPiece.Next {
        guard held == nil else { return .whole(lengthIsVerified: true) }
        guard let segment else { return piece.next(reached: 0) }
        let reached = segment.position
        let isThrough = segment.isThrough
        if case .whereTheBodyEnds = piece.end { segment.endFile() }
        segment.release()
        let next = piece.next(reached: reached, isEnough: isThrough)
        switch next {
        case .whole(let isVerified):
            return segment.file.isWritten ? .whole(lengthIsVerified: isVerified) : .goOn
        case .goOn, .failed: return next
        }
    }

    /// Other lanes may take part, where the server has said that parts can be asked for, of which version each is, and
    /// there is enough to do.
    private func divide(_ file: DownloadFile, _ piece: DownloadPiece, on lane: isolated Lane) {
        guard piece.takesRanges, piece.validator.condition != nil, piece.total != nil,
            lanes > 1 || !sources.isEmpty, file === self.file
        else { return }
        switch wishes.segments ?? .auto {
        case .off: break
        case .most: invite(to: file, piece, on: lane)
        case .auto where share.work?.file === file || isFar(lane, rest: file.rest):
            invite(to: file, piece, on: lane)
        case .auto: watch(file, piece, rest: file.rest, on: lane)
        }
    }

    private func isFar(_ lane: isolated Lane, rest: Int64) -> Bool {
        guard rates.largestPiece == nil, let roundTrip = lane.loop?.roundTrip else { return false }
        return SegmentWish.needsHelp(roundTrip: roundTrip, rest: rest)
    }

    /// Looks each second whether one connection is slow enough for others to be of use; `rest`: what was left a second ago.
    /// One that is held back by a rate is not.
    private func watch(
        _ file: DownloadFile, _ piece: DownloadPiece, rest: Int64, on lane: isolated Lane
    ) {
        lane.remind(after: .seconds(1)) {
            guard file === self.file, !file.hasRetired, self.rates.largestPiece == nil else { return }
            let left = file.rest
            if SegmentWish.needsHelp(came: rest - left, rest: left) {
                self.invite(to: file, piece, on: lane)
            } else if left >= SegmentWish.smallestByItself {
                self.watch(file, piece, rest: left, on: lane)
            }
        }
    }

    private func invite(to file: DownloadFile, _ piece: DownloadPiece, on lane: isolated Lane) {
        if share.work?.file !== file {
            let servers = servers(piece.validator, mayMix: lane.checkpoint.distrustsMirrors != true)
            let wanted = (wishes.segments ?? .auto).connections(for: file.rest)
            let spread = SegmentWish.spread(wanted, over: servers.map(\.lanes))
            let count = spread.reduce(0, +)
            guard count > 1 else { return }
            var helpers = Dictionary(uniqueKeysWithValues: zip(servers.map(\.origin), spread))
            helpers[address.origin, default: 1] -= 1
            let work = DownloadShare.Work(place: self, file: file, known: piece.validator)
            guard share.open(work, helpers) != nil else { return }
            file.divide(among: count)
        }
        guard share.work != nil else { return }
        lane.report(.divisible(job.id, lanes: share.helpers))
    }

    /// The attempt is over: what was written counts, and nothing is written any more.
    func close() async {
        share.close()
        let place = self
        try? await disk.value { () throws(Failure) in
            guard let file = place.file else { return }
            try? file.flush()
            file.retire()
        }
    }

    /// Waits until the file holds the whole body.
    func settle(_ body: DownloadBody, on lane: isolated Lane) async throws {
        let result: Result<Void, Failure> = try await lane.wait { body.finish($0) }
        try result.get()
    }
}
