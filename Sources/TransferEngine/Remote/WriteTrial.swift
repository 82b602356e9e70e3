internal import TransferModel

/// Sends a small file under a name of its own, does to it what uploads do, and removes it.
struct WriteTrial {
    let assignment: Assignment
    let server: any FileServer
    let directory: RemotePath

    private static let content = Array("transferd wrote this to see whether it can, and removes it.\n".utf8)
    /// 2001-02-03 04:05:06 UTC: a time that no server gives a new file by itself.
    private static let time = Timestamp(rawValue: 981_173_106_000)

    /// What went wrong; nil: files can be delivered there.
    func run(into description: inout ServerDescription, on lane: isolated Lane) async throws -> Failure? {
        let first = path(".part")
        let last = path("")
        do {
            try await carryOut(first, last, &description, lane)
        } catch let failure as Failure {
            await tidy([first, last], lane)
            return failure
        }
        return nil
    }

    /// Nobody else's name: the number and key of the job are in it.
    private func path(_ ending: String) -> RemotePath {
        let key = assignment.job.idempotencyKey.prefix(8)
        guard let name = FileName(".transferd-check-\(assignment.job.id)-\(key)\(ending)") else {
            preconditionFailure("letters, digits and dashes make a name")
        }
        return directory.appending(name)
    }

    private func carryOut(
        _ first: RemotePath, _ last: RemotePath, _ description: inout ServerDescription, _ lane: isolated Lane
    ) async throws {
        try await store(first, lane)
        let count = Int64(Self.content.count)
        description.add("written", "\(first), \(count) bytes")
        description.add("size", try await size(of: first, lane))
        description.add("read back", try await readBack(first, lane))
        if let checksum = try await checksum(of: first, lane) { description.add("checksum", checksum) }
        let time = try await server.setModified(Self.time, of: first, on: lane)
        description.add("time", time.map { "kept with \($0)" } ?? "cannot be set")
        if time == nil {
            description.advice.append("Files get the time of their arrival: the server lets no other be set.")
        }
        let isRenamed = try await rename(first, last, lane)
        description.add("rename", isRenamed ? "yes" : "no: the server has no MOVE of WebDAV")
        let written = isRenamed ? last : first
        guard try await server.remove(written, on: lane) else {
            throw Failure(
                .permanent, text: "\(written) was written and then could not be found to be removed")
        }
        description.add("removed", "\(written)")
    }

    private func store(_ path: RemotePath, _ lane: isolated Lane) async throws {
        let doing = "writing \(path) at \(lane.origin)"
        let body = FixedBuffers.holding(Int64(Self.content.count))
        Self.content.withUnsafeBytes { bytes in
            guard let space = body.space() else { preconditionFailure("a new ring has room") }
            space.copyMemory(from: bytes)
            body.filled(bytes.count)
        }
        body.finish()
        let parcel = Parcel(
            path: path, opening: .create, doing: doing, length: Int64(Self.content.count), body: body)
        switch try await server.store(parcel, on: lane) {
        case .whole: return
        case .unconfirmed(let failure), .refused(let failure, mayLackDirectory: _): throw failure
        case .taken, .again: throw Failure(.temporary, text: "\(doing): the server did not take it")
        }
    }

    private func size(of path: RemotePath, _ lane: isolated Lane) async throws -> String {
        switch try await server.find([path], on: lane)[0] {
        case .size(Int64(Self.content.count)): return "right (\(server.sizeSource))"
        case .size(let size):
            throw Failure(
                .permanent, text: "\(path) has \(size) bytes, of \(Self.content.count) that were sent")
        case .absent: throw Failure(.permanent, text: "\(path) was sent and is not there")
        case .present, .unknown: return "not told: what arrived cannot be compared"
        }
    }

    private func readBack(_ path: RemotePath, _ lane: isolated Lane) async throws -> String {
        let range = Int64(0)..<Int64(Self.content.count)
        guard let bytes = try await server.read(range, of: path, on: lane) else { return "not permitted" }
        guard bytes == Self.content else {
            throw Failure(.permanent, text: "\(path) came back other than it was sent")
        }
        return "the same"
    }

    private func checksum(of path: RemotePath, _ lane: isolated Lane) async throws -> String? {
        guard let found = try await server.checksum(of: path, on: lane) else { return nil }
        return "\(found.algorithm.rawValue) \(found.hexadecimal) (\(found.command))"
    }

    /// false: a web server that does not know how.
    private func rename(_ first: RemotePath, _ last: RemotePath, _ lane: isolated Lane) async throws -> Bool {
        let move = RemoteMove(from: first, to: last, size: Int64(Self.content.count), replaces: false)
        switch try await server.move(move, on: lane) {
        case .done: return true
        case .refused(let failure) where lane.origin.scheme.isWeb && [405, 501].contains(failure.code):
            return false
        case .wrongSize: throw Failure(.permanent, text: "\(first) has another size before the rename")
        case .taken: throw Failure(.permanent, text: "\(last) is there already")
        case .refused(let failure), .lost(let failure): throw failure
        }
    }

    private func tidy(_ paths: [RemotePath], _ lane: isolated Lane) async {
        for path in paths { _ = try? await server.remove(path, on: lane) }
    }
}
