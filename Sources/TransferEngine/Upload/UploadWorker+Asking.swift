internal import TransferModel

extension UploadWorker {
    /// The sizes of files in the target's directory, asked in one request on whatever connection there is.
    func sizes(of names: [FileName], _ target: RemoteTarget, _ lane: isolated Lane) async throws
        -> [RemoteSize]
    {
        // Servers refuse SIZE, or count line ends, while the connection is in its first type, ASCII.
        let commands = [Array("TYPE I".utf8)] + names.map { target.command("*SIZE", $0) }
        let answer = try await lane.perform(request(target, commands))
        guard answer.error == nil else { throw Failure(answer, doing: "asking sizes for \(job.url)") }
        let sizes = answer.replies.entries.suffix(names.count).compactMap { RemoteSize($0) }
        guard sizes.count == names.count else { throw Failure(answer, doing: "asking sizes for \(job.url)") }
        return sizes
    }

    /// How much of the file stands under the temporary name, to go on from there; the size of the source when all of it
    /// does; 0 when it is to be sent from the start.
    ///
    /// Appending while the server still writes what an earlier connection had sent would mix the two, so the size has to
    /// stand still first.
    func sizeToResume(_ source: Source, _ target: RemoteTarget, _ lane: isolated Lane) async throws -> Int64 {
        guard let size = try await settledSize(target, lane) else { return 0 }
        return size <= source.size ? size : 0
    }

    /// The size of the temporary file when it no longer grows; nil when there is none.
    func settledSize(_ target: RemoteTarget, _ lane: isolated Lane) async throws -> Int64? {
        var last = try await sizes(of: [target.temporary], target, lane)[0]
        for _ in 0..<Self.longestSettling {
            guard case .bytes(let size) = last, size > 0 else { return nil }
            try await lane.pause(for: Self.settlingInterval)
            let next = try await sizes(of: [target.temporary], target, lane)[0]
            if next == last { return size }
            last = next
        }
        throw Failure(
            .temporary, text: "\(doing): the server is still writing what an earlier connection sent")
    }

    private static let settlingInterval = Duration.milliseconds(250)
    private static let longestSettling = 240
}
