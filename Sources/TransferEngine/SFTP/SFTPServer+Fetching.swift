internal import TransferModel

extension SFTPServer {
    func fetch(_ path: RemotePath, into sink: any BodySink, on lane: isolated Lane) async throws {
        let doing = "fetching \(name(path))"
        try await carryOut(doing, on: lane) { connection in
            let file = try await connection.openToRead(path, on: lane)
            var fetch = SFTPFetch(
                file.handle, from: 0, to: file.facts.size, into: lane.rated(sink), over: connection,
                doing: doing)
            do {
                try await fetch.run(on: lane)
            } catch let failure as Failure {
                _ = try await connection.answer(to: connection.close(file.handle), on: lane)
                throw failure
            }
            try await connection.finishReading(file, doing: doing, on: lane)
        }
    }
}

extension SFTPConnection {
    /// A file that is being read.
    struct ReadableFile {
        let handle: [UInt8]
        let facts: SFTPFacts
    }

    func openToRead(_ path: RemotePath, on lane: isolated Lane) async throws -> ReadableFile {
        let handle = try await open(path, .read, on: lane)
        let attributes = try await attributes(status(of: handle), on: lane) ?? SFTPAttributes()
        return ReadableFile(handle: handle, facts: SFTPFacts(attributes))
    }

    /// Closes the file; throws when it is not what it was when it was opened.
    func finishReading(_ file: ReadableFile, doing: String, on lane: isolated Lane) async throws {
        let question = status(of: file.handle)
        let end = close(file.handle)
        let attributes = try await attributes(question, on: lane)
        _ = try await answer(to: end, on: lane)
        guard let attributes, SFTPFacts(attributes) != file.facts else { return }
        throw Failure(.temporary, text: "\(doing): the file changed while it was read")
    }

    private func status(of handle: [UInt8]) -> UInt32 { send(.handleStatus) { $0.put(handle) } }
}
