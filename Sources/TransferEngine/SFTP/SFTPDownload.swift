internal import TransferModel

/// Fetches a file over SFTP: its size and time tell its versions apart.
struct SFTPDownload {
    private let place: DownloadPlace
    private let server: SFTPServer

    /// Bytes that are asked for again after a resume, to notice a file that changed within a second.
    private static let overlap: Int64 = 65_536

    init(_ place: DownloadPlace, _ server: SFTPServer) {
        self.place = place
        self.server = server
    }

    /// Returns when the file is whole; whether its length is verified.
    func run(on lane: isolated Lane) async throws -> Bool {
        let known = lane.checkpoint.validator ?? Checkpoint.Validator()
        if known.lastModified != nil || place.hasChecksum,
            let file = try await place.resume(overlap: Self.overlap, on: lane)
        {
            if place.job.offset == known.total { return true }
            do {
                if let isVerified = try await fetch(into: file, of: known, on: lane) { return isVerified }
            } catch let failure as Failure {
                guard file.isForeign else { throw failure }
            }
            lane.report(
                .notice(severity: 6, text: "job \(place.job.id) starts again: the file cannot be resumed"))
        }
        let standing = try await place.standing(on: lane)
        guard let isVerified = try await fetch(into: nil, of: known, unless: standing, on: lane) else {
            preconditionFailure("any file can be fetched from its start")
        }
        return isVerified
    }

    /// - Parameters:
    ///   - file: what there is of the version `known`, to go on with.
    ///   - standing: nothing is fetched when the server's file is this one.
    /// - Returns: nil when it is another version now.
    private func fetch(
        into file: DownloadFile?, of known: Checkpoint.Validator, unless standing: StandingFile? = nil,
        on lane: isolated Lane
    ) async throws -> Bool? {
        let path = try RemotePath(place.job.url)
        return try await server.carryOut(doing, on: lane) { connection in
            let source = try await connection.openToRead(path, on: lane)
            let mayGoOn = source.facts.allowsResume(
                at: place.job.offset.rawValue, of: known, hasChecksum: place.hasChecksum)
            do {
                guard file == nil || mayGoOn else { throw OtherVersion() }
                let told = source.facts.validator
                if standing?.isSame(as: told, modified: place.modified(told)) == true {
                    throw place.notModified
                }
                try await store(source, into: file, over: connection, on: lane)
            } catch  where error is Failure || error is OtherVersion || error is LeftAlone {
                _ = try await connection.answer(to: connection.close(source.handle), on: lane)
                guard error is OtherVersion else { throw error }
                return nil
            }
            try await connection.finishReading(source, doing: doing, on: lane)
            return try verified(source.facts.piece)
        }
    }

    private struct OtherVersion: Error {}

    private var doing: String { "fetching \(place.job.url)" }

    /// Leads the bytes of an open file into `file`, or into a fresh one.
    private func store(
        _ source: SFTPConnection.ReadableFile, into file: DownloadFile?, over connection: SFTPConnection,
        on lane: isolated Lane
    ) async throws {
        let body = DownloadBody(on: place.disk, wake: { lane.resume() })
        if file == nil {
            place.replace(with: source.facts.piece, body, on: lane)
        } else {
            place.append(source.facts.piece, body, on: lane)
        }
        var fetch = SFTPFetch(
            source.handle, from: file?.offset ?? 0, to: source.facts.size, into: lane.rated(body),
            over: connection,
            doing: doing)
        do {
            try await fetch.run(on: lane)
            try await place.settle(body, on: lane)
        } catch {
            await body.stop()
            throw error
        }
    }

    private func verified(_ piece: DownloadPiece) throws -> Bool {
        switch place.conclude(piece) {
        case .whole(let isVerified): return isVerified
        case .failed(let failure): throw failure
        case .goOn: preconditionFailure("a file is fetched to its end")
        }
    }
}
