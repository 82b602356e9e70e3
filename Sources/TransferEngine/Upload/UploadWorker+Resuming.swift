internal import TransferModel

extension UploadWorker {
    /// How the file is gone on with that an earlier attempt has begun: from what is recorded and what the server has,
    /// whichever is less, and only if its last bytes are the source's.
    ///
    /// Appending while the server still writes what an earlier connection had sent would mix the two, so the size has to
    /// stand still first. Over FTP a file can be added to at its end alone, so that more than is recorded is gone on
    /// with only when its last bytes could be compared.
    func opening(
        _ source: Source, _ place: UploadPlace, _ server: any FileServer, _ lane: isolated Lane
    ) async throws -> Parcel.Opening {
        guard plan.resuming != .off, plan.comparesSize,
            let found = try await settledSize(place.temporary, server, lane), found <= source.size
        else { return .create }
        let appends = plan.resuming == .append && !server.writesByOffset
        let recorded = min(job.offset.rawValue, found)
        let offset =
            if server.writesByOffset {
                // Whatever the size is: what nobody has confirmed may have holes.
                max(0, recorded - server.uncertainTail)
            } else { appends || found == source.size ? found : recorded }
        guard offset > 0 else { return .create }
        let range = max(0, offset - Self.comparedBytes)..<offset
        let isSame = try await isSame(range, source, place.temporary, server, lane)
        if isSame == false {
            lane.report(
                .notice(
                    severity: 6,
                    text: "job \(job.id) starts again: what stands at the server is not what was sent"))
            return .create
        }
        let isTrusted = isSame == true || !server.writesByOffset && recorded == offset
        guard isTrusted else { return .create }
        return appends ? .append(at: offset) : .restart(at: offset)
    }

    /// A server may still be writing what the connection of an earlier attempt had sent. What is sent from the start must
    /// not get into the same file.
    func clear(
        _ place: UploadPlace, _ opening: Parcel.Opening, _ server: any FileServer, _ lane: isolated Lane
    ) async throws {
        guard case .create = opening, !place.isDirect, !server.storesAtomically,
            job.lastFailure != nil || job.checkpoint.hasBegun
        else { return }
        do {
            _ = try await server.remove(place.temporary, on: lane)
        } catch is Failure {
            // One that may not be removed is written over.
        }
    }

    /// How much of the end of a remote file is compared, in bytes.
    static let comparedBytes: Int64 = 65_536

    /// Whether a range of the remote file is that of the source; nil when the server does not let it be read.
    func isSame(
        _ range: Range<Int64>, _ source: Source, _ path: RemotePath, _ server: any FileServer,
        _ lane: isolated Lane
    ) async throws -> Bool? {
        guard let theirs = try await server.read(range, of: path, on: lane) else { return nil }
        let file = source.file
        let ours = try await lane.onDisk(disk) { () throws(Failure) in try file.read(range) }
        return ours == theirs
    }

    /// The size of a file when it no longer grows; nil when there is none, or none is told.
    func settledSize(_ path: RemotePath, _ server: any FileServer, _ lane: isolated Lane) async throws
        -> Int64?
    {
        var last = try await server.find([path], on: lane)[0]
        for _ in 0..<Self.longestSettling {
            guard case .size(let size) = last, size > 0 else { return nil }
            try await lane.pause(for: Self.settlingInterval)
            let next = try await server.find([path], on: lane)[0]
            if next == last { return size }
            last = next
        }
        throw Failure(
            .temporary, text: "\(doing): the server is still writing what an earlier connection sent")
    }

    private static let settlingInterval = Duration.milliseconds(250)
    private static let longestSettling = 240
}
