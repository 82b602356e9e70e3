internal import TransferModel

extension FTPServer {
    func move(_ move: RemoteMove, on lane: isolated Lane) async throws -> Moved {
        var step = FTPMove(move)
        let doing = "renaming \(move.from) to \(move.to) at \(origin)"
        while true {
            let answer = try await lane.perform(request(step))
            switch step.next(after: answer, doing: doing) {
            case .again: continue
            case .ended(let moved): return moved
            case .failed: throw Failure(answer, doing: doing)
            }
        }
    }

    private func request(_ step: FTPMove) -> Request {
        var request = request(step.commands)
        var replies = ReplyLog()
        request.onLine = { line in
            let before = replies.entries.count
            replies.take(line)
            return replies.entries.count == before || step.allows(replies)
        }
        return request
    }
}
