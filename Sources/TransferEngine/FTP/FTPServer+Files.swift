internal import TransferModel

extension FTPServer {
    /// SIZE says most; where it does not, RNFR tells whether there is anything, and changes nothing as long as no RNTO
    /// follows.
    func find(_ paths: [RemotePath], on lane: isolated Lane) async throws -> [RemoteFile] {
        // Servers refuse SIZE, or count line ends, while the connection is in its first type, ASCII.
        let commands = [Array("TYPE I".utf8)] + paths.map { Self.command("SIZE", $0) }
        let replies = try await ask(commands, doing: "asking \(origin) for sizes", on: lane).dropFirst()
        let found = try zip(paths, replies).map { path, reply in
            guard let size = RemoteFile(size: reply) else {
                throw Failure(reply, doing: "asking \(origin) for the size of \(path)")
            }
            return size
        }
        let open = paths.indices.filter { !found[$0].isCertain }
        let answers = try await exist(open.map { paths[$0] }, on: lane)
        return paths.indices.map { index in
            let isThere = open.firstIndex(of: index).flatMap { answers[$0] }
            return found[index].told(isThere: isThere)
        }
    }

    /// nil where the server does not tell.
    private func exist(_ paths: [RemotePath], on lane: isolated Lane) async throws -> [Bool?] {
        guard !paths.isEmpty else { return [] }
        let doing = "asking \(origin) whether something is there"
        let replies = try await ask(paths.map { Self.command("RNFR", $0) }, doing: doing, on: lane)
        // Nothing but RNTO is answered from here on by proftpd.
        if replies.contains(where: { $0.code == 350 }) { lane.control.cutConnection() }
        return replies.map { reply in
            switch reply.code {
            case 350: true
            case 550, 553, 450: reply.forbids ? nil : false
            default: nil
            }
        }
    }

    /// A refusal counts as "there is none" only when there is none.
    func remove(_ path: RemotePath, on lane: isolated Lane) async throws -> Bool {
        let doing = "removing \(path) at \(origin)"
        let reply = try await ask([Self.command("DELE", path)], doing: doing, on: lane)[0]
        if reply.code < 400 { return true }
        switch try await find([path], on: lane)[0] {
        case .absent: return false
        case .size, .present, .unknown: throw Failure(reply, doing: doing)
        }
    }

    @discardableResult
    func makeDirectories(_ paths: [RemotePath], on lane: isolated Lane) async throws -> Failure? {
        guard !paths.isEmpty else { return nil }
        let doing = "making \(paths[paths.count - 1]) at \(origin)"
        let replies = try await ask(paths.map { Self.command("MKD", $0) }, doing: doing, on: lane)
        guard let last = replies.last, last.code >= 400, last.code != 521 else { return nil }
        return Failure(last, doing: doing)
    }

    func removeDirectory(_ path: RemotePath, on lane: isolated Lane) async throws {
        let doing = "removing the directory \(path) at \(origin)"
        let reply = try await ask([Self.command("RMD", path)], doing: doing, on: lane)[0]
        guard reply.code < 400 else { throw Failure(reply, doing: doing) }
    }

    func quote(_ commands: [[UInt8]], on lane: isolated Lane) async throws -> [RemoteReply] {
        var replies: [RemoteReply] = []
        for command in commands {
            let ignoresRefusal = command.first == UInt8(ascii: "*")
            let words = EscapedText.escape(command)
            let reply = try await ask([command], doing: "sending '\(words)' to \(origin)", on: lane)[0]
            replies.append(
                RemoteReply(code: reply.code, text: reply.text, isRefusal: reply.code >= 400))
            if reply.code >= 400, !ignoresRefusal { break }
        }
        return replies
    }
}

extension RemoteFile {
    /// Whether it says all that can be known.
    fileprivate var isCertain: Bool {
        switch self {
        case .size: true
        case .absent, .present, .unknown: false
        }
    }

    /// With what another question says of whether something is there; nil: nothing.
    fileprivate func told(isThere: Bool?) -> RemoteFile {
        switch (self, isThere) {
        case (.size, _), (_, nil): self
        case (_, true): .present
        case (_, false): .absent
        }
    }
}
