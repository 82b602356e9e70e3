internal import TransferModel

extension FTPServer {
    /// The lines of the server's reply to FEAT; asked once for its origin.
    func features(on lane: isolated Lane) async throws -> ServerFeatures {
        if let known = lane.memory.features { return known }
        var request = request([Array("*FEAT".utf8)])
        var reading = FTPFeatures()
        request.onLine = { line in
            reading.take(line)
            return true
        }
        let answer = try await lane.perform(request)
        guard answer.error == nil else {
            throw Failure(answer, doing: "asking \(origin) what it can")
        }
        let features = ServerFeatures(lines: reading.lines)
        lane.memory.features = features
        return features
    }

    func checksumAlgorithm(on lane: isolated Lane) async throws -> ChecksumAlgorithm? {
        FTPChecksum.ways(try await features(on: lane)).first?.algorithm
    }

    /// Servers read the whole file before they say a word; 20 MB a second is a slow disk.
    private var patience: Duration {
        let size = assignment.progress.limit?.rawValue ?? 0
        return size < 100_000_000 ? .zero : assignment.origin.stallTimeout + .seconds(size / 20_000_000)
    }

    func checksum(of path: RemotePath, on lane: isolated Lane) async throws -> RemoteChecksum? {
        for way in FTPChecksum.ways(try await features(on: lane)) where !lane.memory.lacks(way.name) {
            let doing = "asking \(origin) for the checksum of \(path)"
            let replies = try await ask(way.commands(path), doing: doing, patience: patience, on: lane)
            guard let reply = replies.last else { continue }
            if let found = way.checksum(in: reply) {
                return RemoteChecksum(algorithm: way.algorithm, hexadecimal: found, command: way.verb)
            }
            if [500, 502, 504].contains(reply.code) { lane.memory.noteLack(of: way.name) }
        }
        return nil
    }
}
