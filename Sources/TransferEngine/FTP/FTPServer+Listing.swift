internal import TransferModel

extension FTPServer {
    func fetch(_ path: RemotePath, into sink: any BodySink, on lane: isolated Lane) async throws {
        var request = request(for: path)
        request.sink = sink
        let answer = try await lane.perform(request)
        guard answer.error == nil else { throw Failure(answer, doing: "fetching \(path) from \(origin)") }
    }

    func list(_ path: RemotePath, on lane: isolated Lane) async throws -> RemoteListing {
        try await FTPListing(origin: origin, path: path).read(on: lane)
    }

    func describe(on lane: isolated Lane) async throws(Stop) -> ServerDescription {
        try await FTPProbe(assignment: assignment).describe(on: lane)
    }
}
