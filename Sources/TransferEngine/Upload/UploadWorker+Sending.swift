internal import CCurl
internal import TransferModel

extension UploadWorker {
    /// How the server took the data.
    private enum Sent {
        case whole
        /// No byte moved; the server's last reply says no.
        case refused(Answer)
    }

    /// Sends the source from `start` on; returns when the server has it whole under the temporary name, as far as it
    /// says so itself.
    func send(
        _ source: Source, from start: Int64, to target: RemoteTarget, _ checkpoint: Checkpoint,
        _ lane: isolated Lane
    ) async throws {
        guard case .refused(let answer) = try await attempt(source, from: start, to: target, checkpoint, lane)
        else { return }
        // APPE refused: STOR may not be.
        guard start > 0 else { throw Failure(answer, doing: doing) }
        assignment.progress.begin(at: .zero, limit: source.identity.size)
        guard case .refused(let answer) = try await attempt(source, from: 0, to: target, checkpoint, lane)
        else { return }
        throw Failure(answer, doing: doing)
    }

    private func attempt(
        _ source: Source, from start: Int64, to target: RemoteTarget, _ checkpoint: Checkpoint,
        _ lane: isolated Lane
    ) async throws -> Sent {
        let begun = start == 0 ? source.feed : nil
        let feed = begun ?? source.feed(from: start, on: disk)
        defer { feed.end() }
        feed.buffers.onContent { [weak lane] in lane?.resume() }
        let request = storing(feed.buffers, from: start, length: source.size - start, target)
        // A file that is through in a moment needs no record to be resumed by.
        lane.remind(after: .seconds(1)) { lane.record(.sending, checkpoint) }
        defer { lane.forgetReminder() }
        var answer = try await lane.perform(request)
        if answer.mayLackDirectory, !target.directories.isEmpty {
            try await makeDirectories(target, lane)
            answer = try await lane.perform(request)
        }
        return try await judge(answer, source, from: start, target, lane)
    }

    private func storing(
        _ buffers: FixedBuffers, from start: Int64, length: Int64, _ target: RemoteTarget
    ) -> Request {
        var request = Request(url: target.url(of: target.temporary))
        request.body = UploadBody(buffers, from: start, progress: assignment.progress)
        request.set(.upload, true)
        request.set(.pathAsIs, true)
        request.set(.receiveBufferSize, 16_384)
        request.set(.uploadSize, length)
        request.set(.uploadBufferSize, min(max(Int(clamping: length), 16_384), EasyConfiguration.bufferSize))
        request.set(.append, start > 0)
        return request
    }

    private func judge(
        _ answer: Answer, _ source: Source, from start: Int64, _ target: RemoteTarget, _ lane: isolated Lane
    ) async throws -> Sent {
        let isAllHandedOver = answer.sent == source.size - start
        if answer.error == nil, isAllHandedOver { return .whole }
        if answer.sent == 0, answer.bodyFailure == nil, (500...599).contains(answer.replies.code),
            answer.isLoggedIn
        {
            return .refused(answer)
        }
        let failure = Failure(answer, doing: doing)
        guard isAllHandedOver, answer.bodyFailure == nil, answer.replies.code < 400 else { throw failure }
        // All is handed over and nobody said how it ended: the size on a new connection does.
        lane.control.cutConnection()
        guard try await settledSize(target, lane) == source.size else { throw failure }
        return .whole
    }

    /// A refusal is no failure: another job may have made them in this moment.
    private func makeDirectories(_ target: RemoteTarget, _ lane: isolated Lane) async throws {
        let answer = try await lane.perform(request(target, target.parents.map { Array("*MKD ".utf8) + $0 }))
        guard answer.error == nil else { throw Failure(answer, doing: "making directories for \(job.url)") }
    }
}

extension Answer {
    /// Whether STOR was refused as it is where the directory does not exist.
    fileprivate var mayLackDirectory: Bool {
        sent == 0 && error != nil && isLoggedIn && [550, 553, 450, 451].contains(replies.code)
    }
}
