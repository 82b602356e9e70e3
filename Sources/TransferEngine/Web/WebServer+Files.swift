internal import TransferModel

extension WebServer {
    func find(_ paths: [RemotePath], on lane: isolated Lane) async throws -> [RemoteFile] {
        var files: [RemoteFile] = []
        for path in paths { files.append(try await find(path, on: lane)) }
        return files
    }

    /// HEAD says most; where it does not, PROPFIND may.
    private func find(_ path: RemotePath, on lane: isolated Lane) async throws -> RemoteFile {
        let url = address(of: path)
        let question = WebQuestion(method: "HEAD", url: url, doing: "asking for \(name(path))")
        let file = WebFile.found(try await ask(question, on: lane).head, of: path)
        guard file.isOpen, let entry = try await properties(of: path, on: lane) else { return file }
        return entry.file
    }

    /// What WebDAV says of one path; nil where the server does not tell.
    func properties(of path: RemotePath, on lane: isolated Lane) async throws -> Multistatus.Entry? {
        guard mayAsk("PROPFIND", on: lane) else { return nil }
        let answer = try await properties(
            of: address(of: path), depth: 0, doing: "asking for \(name(path))", on: lane)
        guard let found = answer.found else {
            if answer.answer.head.lacksMethod { lane.memory.noteLack(of: "PROPFIND") }
            return nil
        }
        return found.entries.first { $0.status == 0 || (200...299).contains($0.status) }
    }

    /// Removes a file; DELETE of a directory would take all that is in it along, and is not sent.
    func remove(_ path: RemotePath, on lane: isolated Lane) async throws -> Bool {
        if try await isDirectory(path, on: lane) {
            throw Failure(.permanent, text: "\(path) is a directory; 'rmdir' removes it (\(origin))")
        }
        return try await delete(address(of: path), doing: "removing \(name(path))", on: lane)
    }

    /// Its address may say so, WebDAV, or an answer to HEAD that leads to the same name with a slash behind it.
    private func isDirectory(_ path: RemotePath, on lane: isolated Lane) async throws -> Bool {
        let url = address(of: path)
        if url.isDirectory { return true }
        if let entry = try await properties(of: path, on: lane) { return entry.isCollection }
        guard !place.hasQuery else { return false }
        let question = WebQuestion(method: "HEAD", url: url, doing: "asking for \(name(path))")
        return WebFile.isDirectory(try await ask(question, on: lane).head, path)
    }

    private func delete(_ url: TransferURL, doing: String, on lane: isolated Lane) async throws -> Bool {
        let answer = try await ask(WebQuestion(method: "DELETE", url: url, doing: doing), on: lane)
        switch answer.status {
        case 207: throw Failure(.permanent, code: 207, text: "\(doing): some of it could not be removed")
        case 200...299: return true
        case 404, 410: return false
        case _: throw refusal(answer, doing: doing)
        }
    }

    // MARK: Directories

    /// From the last one up to where one is there, and down again: mostly the last one alone is missing, and upper ones
    /// are often none of ours to make.
    @discardableResult
    func makeDirectories(_ paths: [RemotePath], on lane: isolated Lane) async throws -> Failure? {
        guard !paths.isEmpty else { return nil }
        var missing: [RemotePath] = []
        var refused: Failure?
        for path in paths.reversed() {
            let (failure, lacksParent) = try await make(path, on: lane)
            if missing.isEmpty { refused = failure }
            guard lacksParent else { break }
            missing.append(path)
        }
        for path in missing.reversed() { refused = try await make(path, on: lane).failure }
        return refused
    }

    private func make(
        _ path: RemotePath, on lane: isolated Lane
    ) async throws -> (failure: Failure?, lacksParent: Bool) {
        let doing = "making the directory \(name(path))"
        let url = place.address(of: path, isCollection: true)
        let answer = try await ask(WebQuestion(method: "MKCOL", url: url, doing: doing), on: lane)
        if answer.isSuccess { return (nil, false) }
        var failure = refusal(answer, doing: doing)
        if answer.head.lacksMethod {
            failure.text +=
                "; something is there already, or the server has no WebDAV"
        }
        return (failure, answer.status == 409 || answer.status == 404)
    }

    /// Only an empty one: DELETE takes all that is in it along, so it is looked at first.
    func removeDirectory(_ path: RemotePath, on lane: isolated Lane) async throws {
        let listing = try await list(path, on: lane)
        guard listing.entries.isEmpty, listing.unreadable.isEmpty else {
            throw Failure(.permanent, text: "the directory \(path) is not empty (\(origin))")
        }
        let url = place.address(of: path, isCollection: true)
        guard try await delete(url, doing: "removing the directory \(name(path))", on: lane) else {
            throw Failure(.permanent, text: "there is no directory \(path) (\(origin))")
        }
    }

    func quote(_ commands: [[UInt8]], on lane: isolated Lane) async throws -> [RemoteReply] {
        throw Failure(.permanent, text: "HTTP has no commands that could be sent to \(origin)")
    }
}

extension Multistatus.Entry {
    /// What a question for sizes is answered with.
    var file: RemoteFile { isCollection ? .present : size.map { .size($0) } ?? .present }
}
