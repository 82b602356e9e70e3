internal import TransferModel

extension FTPServer {
    func move(_ move: RemoteMove, on lane: isolated Lane) async throws -> Moved {
        try await carryOut(move, nil, on: lane)
    }

    /// What comes before the rename goes on while it is recorded that it may be done.
    func move(_ move: RemoteMove, licence: Licence, on lane: isolated Lane) async throws -> Moved {
        try await carryOut(move, licence, on: lane)
    }

    private func carryOut(_ move: RemoteMove, _ licence: Licence?, on lane: isolated Lane) async throws
        -> Moved
    {
        var step = FTPMove(move)
        let doing = "renaming \(move.from) to \(move.to) at \(origin)"
        while true {
            let answer = try await lane.perform(request(step, licence, lane))
            switch step.next(after: answer, doing: doing) {
            case .again: continue
            case .ended(let moved): return moved
            case .failed: throw Failure(answer, doing: doing)
            }
        }
    }

    private func request(_ step: FTPMove, _ licence: Licence?, _ lane: isolated Lane) -> Request {
        var request = request(step.commands)
        request.onReply = step.allows
        request.licence = licence
        request.sendsTwo = step.beginsWithTwo && lane.memory.takesSeveralCommands
        request.licensed = step.changes
        return request
    }
}
