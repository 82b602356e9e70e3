internal import TransferModel

extension SFTPServer {
    func move(_ move: RemoteMove, on lane: isolated Lane) async throws -> Moved {
        let doing = "renaming \(move.from) to \(name(move.to))"
        do {
            let isVerified: Bool
            switch try await check(move, doing, on: lane) {
            case .ready(let verified): isVerified = verified
            case .not(let answer): return answer
            }
            return try await carryOut(doing, mayRepeat: false, on: lane) { connection in
                connection.lastStored = nil
                return try await rename(move, doing, over: connection, on: lane)
                    ?? .done(isVerified: isVerified)
            }
        } catch let failure as LostRename {
            return .lost(failure.failure)
        }
    }

    private enum Check {
        case ready(isVerified: Bool)
        case not(Moved)
    }

    private struct LostRename: Error {
        let failure: Failure
    }

    /// Asks what stands at both names, as far as that is not known and matters.
    private func check(_ move: RemoteMove, _ doing: String, on lane: isolated Lane) async throws -> Check {
        var isCompared = move.size == nil
        if let size = move.size, let last = lane.sftp?.lastStored, last.path == move.from.bytes {
            isCompared = last.size == size
        }
        let paths = (isCompared ? [] : [move.from]) + (move.replaces ? [] : [move.to])
        guard !paths.isEmpty else { return .ready(isVerified: move.size != nil) }
        let found = try await find(paths, on: lane)
        if !move.replaces, found.last != .absent { return .not(.taken) }
        guard !isCompared, let size = move.size, let file = found.first else {
            return .ready(isVerified: move.size != nil)
        }
        switch file {
        case .size(size): return .ready(isVerified: true)
        case .present, .unknown: return .ready(isVerified: false)
        case .size, .absent: return .not(.wrongSize(file))
        }
    }

    /// nil: done.
    private func rename(
        _ move: RemoteMove, _ doing: String, over connection: SFTPConnection, on lane: isolated Lane
    ) async throws -> Moved? {
        do {
            var status = try await rename(move, atomically: move.replaces, connection, lane)
            if !status.isSuccess, move.replaces, !connection.renamesAtomically {
                // The new file is known to be whole: the old one may go.
                _ = try await connection.ask(.remove, on: lane) { $0.put(move.to.bytes) }
                status = try await rename(move, atomically: false, connection, lane)
            }
            if status.isSuccess { return nil }
            let failure = Failure(status, doing: doing)
            guard !move.replaces else { return .refused(failure) }
            let found = try await connection.file(connection.stat(move.to), on: lane)
            return found == .absent ? .refused(failure) : .taken
        } catch let error as SSHError {
            lane.sftp = nil
            throw LostRename(failure: Failure(error, doing: doing))
        }
    }

    /// With `atomically`, what stands at the new name gives way in one step, where the server can do that.
    private func rename(
        _ move: RemoteMove, atomically: Bool, _ connection: SFTPConnection, _ lane: isolated Lane
    ) async throws -> SFTPStatus {
        let isPOSIX = atomically && connection.renamesAtomically
        return try await connection.ask(isPOSIX ? .extended : .rename, on: lane) { writer in
            if isPOSIX { writer.put(SFTPConnection.posixRename.utf8) }
            writer.put(move.from.bytes)
            writer.put(move.to.bytes)
        }.status
    }
}

extension SFTPConnection {
    /// rename(2); the draft's own one must fail where the new name is taken. Source: OpenSSH's PROTOCOL, section 4.3.
    fileprivate static let posixRename = "posix-rename@openssh.com"

    /// Whether a file can take another one's place in one step.
    var renamesAtomically: Bool { offers(Self.posixRename) }
}
