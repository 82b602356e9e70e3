internal import TransferModel

extension SFTPServer {
    func read(_ range: Range<Int64>, of path: RemotePath, on lane: isolated Lane) async throws -> [UInt8]? {
        try await carryOut("reading \(name(path))", on: lane) { connection in
            let handle: [UInt8]
            do {
                handle = try await connection.open(path, .read, on: lane)
            } catch is SFTPStatus {
                return nil
            }
            let bytes = try await connection.read(range, of: handle, on: lane)
            _ = try await connection.answer(to: connection.close(handle), on: lane)
            return bytes
        }
    }

    func list(_ path: RemotePath, on lane: isolated Lane) async throws -> RemoteListing {
        try await carryOut("listing \(name(path))", on: lane) { connection in
            var entries = try await connection.names(in: path, on: lane)
            for index in entries.indices where entries[index].kind == .link {
                guard let name = FileName(bytes: entries[index].name) else { continue }
                let link = path.appending(name)
                let answer = try await connection.ask(.readLink, on: lane) { $0.put(link.bytes) }
                guard var reader = try? answer.reader(of: .names), try reader.number() == 1 else { continue }
                entries[index].target = Array(try reader.string())
            }
            return RemoteListing(entries: entries)
        }
    }
}

extension SFTPConnection {
    /// The bytes of a range, fewer where the file ends in it; nil for a refusal.
    fileprivate func read(
        _ range: Range<Int64>, of handle: [UInt8], on lane: isolated Lane
    ) async throws -> [UInt8]? {
        var bytes: [UInt8] = []
        while bytes.count < range.count {
            let offset = range.lowerBound + Int64(bytes.count)
            let count = min(limits.read, range.count - bytes.count)
            let answer = try await answer(to: read(handle, offset, count), on: lane)
            if answer.message == .statusReply {
                return try answer.status.code == SFTPStatus.endOfFile ? bytes : nil
            }
            var reader = try answer.reader(of: .data)
            let piece = try reader.string()
            guard !piece.isEmpty, piece.count <= count else { throw SFTPFormatError() }
            bytes += piece
        }
        return bytes
    }

    func read(_ handle: [UInt8], _ offset: Int64, _ count: Int) -> UInt32 {
        send(.read) { writer in
            writer.put(handle)
            writer.put(UInt64(offset))
            writer.put(UInt32(count))
        }
    }

    /// What a directory holds, without itself and the one above it.
    fileprivate func names(in path: RemotePath, on lane: isolated Lane) async throws -> [RemoteEntry] {
        let opened = try await ask(.openDirectory, on: lane) { $0.put(path.bytes) }
        var reader = try opened.reader(of: .handle)
        let handle = Array(try reader.string())
        var entries: [RemoteEntry] = []
        while true {
            let answer = try await ask(.readDirectory, on: lane) { $0.put(handle) }
            if answer.message == .statusReply {
                _ = try await self.answer(to: close(handle), on: lane)
                let status = try answer.status
                guard status.code == SFTPStatus.endOfFile else { throw status }
                return entries
            }
            var reader = try answer.reader(of: .names)
            for _ in 0..<(try reader.number()) {
                let entry = try reader.entry()
                if entry.name != [0x2e], entry.name != [0x2e, 0x2e] { entries.append(entry) }
            }
        }
    }
}

extension SFTPReader {
    /// A name in a directory, with the line that `ls -l` would show for it.
    fileprivate mutating func entry() throws(SFTPFormatError) -> RemoteEntry {
        let name = Array(try string())
        let line = Array(try string()).split(separator: 0x20)
        let attributes = try attributes()
        var entry = RemoteEntry(name: name, kind: attributes.kind)
        if attributes.permissions == nil { entry.kind = Self.kind(line) }
        entry.size = attributes.size.flatMap(Int64.init(exactly:))
        entry.modified = attributes.timestamp
        entry.permissions = attributes.bits
        let hasNames = line.count >= 9 && line[0].count >= 10
        entry.owner = hasNames ? Array(line[2]) : attributes.owner.map { Array("\($0)".utf8) }
        entry.group = hasNames ? Array(line[3]) : attributes.group.map { Array("\($0)".utf8) }
        return entry
    }

    private static func kind(_ line: [ArraySlice<UInt8>]) -> RemoteEntry.Kind {
        switch line.first?.first {
        case UInt8(ascii: "-"): .file
        case UInt8(ascii: "d"): .directory
        case UInt8(ascii: "l"): .link
        case .some, nil: .other
        }
    }
}
