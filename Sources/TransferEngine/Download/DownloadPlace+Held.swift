internal import Synchronization
internal import TransferModel

extension DownloadPlace {
    /// A small body that waits in memory until all of it is there: its file is made, filled, proven and made durable in one
    /// visit to the disk queue then, where each visit costs two changes of threads.
    struct HeldBody: Sendable {
        let body: DownloadBody
        let piece: DownloadPiece
    }

    /// Larger files are worth the visits.
    private static let largestHeld: Int64 = 65_536
    /// What comes more slowly is written as it comes.
    private static let longestHold = Duration.milliseconds(500)

    var held: HeldBody? { current.state.withLock { $0.held } }

    /// Whether `body` is held. Where an earlier file is on record it is not: that has to be replaced first.
    func hold(_ body: DownloadBody, _ piece: DownloadPiece, on lane: isolated Lane) -> Bool {
        guard case .at(let end) = piece.end, end == piece.total, end <= Self.largestHeld, file == nil,
            lane.checkpoint.localTemporary == nil, objection(toSize: end) == nil
        else { return false }
        progress.begin(at: .zero, limit: ByteCount(rawValue: end))
        let held = HeldBody(body: body, piece: piece)
        current.state.withLock { $0.held = held }
        lane.remind(after: Self.longestHold) { self.letGo(held, on: lane) }
        return true
    }

    /// What has come goes into a file, and what comes after it.
    private func letGo(_ held: HeldBody, on lane: isolated Lane) {
        current.state.withLock { $0.held = nil }
        replace(with: held.piece, held.body, on: lane)
    }

    /// Waits until the body is in the file, or, where it is held, until all of it is known to be there. What came of one
    /// that was cut goes into a file, to be gone on with.
    func settle(_ body: DownloadBody, isWhole: Bool, on lane: isolated Lane) async throws {
        if let held, held.body === body {
            lane.forgetReminder()
            if isWhole, body.waiting == held.piece.total { return }
            letGo(held, on: lane)
        }
        try await settle(body, on: lane)
    }

    /// The file, which holds the whole body and is durable, with what ``dress(_:as:)`` found; `version` is what is known of it.
    func finish(
        on lane: isolated Lane
    ) async throws -> (file: DownloadFile, notes: [String], whole: DownloadFile.Whole) {
        if let held { lane.keep(.sending, noting(held.piece, in: lane.checkpoint)) }
        let version = lane.checkpoint.validator ?? Checkpoint.Validator()
        let place = self
        return try await lane.onDisk(disk, unlessQuick: held != nil && directory.isInMemory) {
            () throws(Failure) in
            let file = try place.wholeFile()
            let notes = try place.dress(file, as: version)
            return (file, notes, try file.finish())
        }
    }

    private func wholeFile() throws(Failure) -> DownloadFile {
        guard let held else {
            guard let file else { preconditionFailure("a whole file has been written") }
            return file
        }
        let (file, segment) = try begin(held.piece)
        try held.body.storeWhole(in: segment)
        segment.release()
        return file
    }
}
