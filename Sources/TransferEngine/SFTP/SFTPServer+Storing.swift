internal import TransferModel

extension SFTPServer {
    func store(_ parcel: Parcel, on lane: isolated Lane) async throws -> Stored {
        let commands = try parcel.commands.map { (line) throws(Failure) in try SFTPCommand(line) }
        return try await carryOut(parcel.doing, mayRepeat: commands.isEmpty, on: lane) { connection in
            connection.lastStored = nil
            if let reply = try await connection.carryOut(commands, on: lane).last, reply.isRefusal {
                throw SFTPStatus(code: UInt32(reply.code), text: reply.text)
            }
            let handle: [UInt8]
            do {
                handle = try await connection.open(parcel.path, parcel.opening.flags, on: lane)
            } catch let status as SFTPStatus {
                return .refused(
                    Failure(status, doing: parcel.doing, stores: true), mayLackDirectory: status.isAbsent)
            }
            var upload = SFTPUpload(parcel, from: lane.rated(parcel.body), handle, connection)
            try await upload.run(on: lane)
            return .whole
        }
    }
}

extension Parcel.Opening {
    fileprivate var flags: SFTPOpenFlags {
        switch self {
        case .create: [.write, .create, .truncate]
        case .append, .restart: [.write, .create]
        }
    }
}

/// One body on its way into an open file: writes go out without waiting for the answers of earlier ones, and behind the
/// last of them at once the end and the question what the file has now.
struct SFTPUpload {
    private let parcel: Parcel
    private let handle: [UInt8]
    private let connection: SFTPConnection
    private var window = SFTPWindow()
    /// Bytes of the body that were taken.
    private var taken: Int64 = 0
    private var needsContent = false
    private let source: any BodySource
    private var scratch: [UInt8]

    /// So much may wait to go out: full packets are made of it.
    private static let longestUnsent = 262_144

    init(_ parcel: Parcel, from source: any BodySource, _ handle: [UInt8], _ connection: SFTPConnection) {
        self.parcel = parcel
        self.source = source
        self.handle = handle
        self.connection = connection
        let piece = Int(min(Int64(connection.limits.write), max(1, parcel.length)))
        scratch = [UInt8](repeating: 0, count: piece)
    }

    /// Returns when the server has closed the file without complaint.
    mutating func run(on lane: isolated Lane) async throws {
        parcel.body.onContent(connection.waker)
        if parcel.opening.offset > 0 { cut(at: parcel.opening.offset) }
        do {
            try await send(on: lane)
            try await finish(on: lane)
        } catch let failure as Failure {
            try await giveUp(on: lane)
            throw failure
        }
    }

    /// What stands behind the offset may have holes; without it, only the end of what is written now can have.
    private mutating func cut(at offset: Int64) {
        let id = connection.send(.setHandleStatus) { [handle] writer in
            writer.put(handle)
            writer.put(SFTPAttributes(size: UInt64(offset)))
        }
        connection.forget([id])
    }

    private var doing: String { parcel.doing }

    private mutating func send(on lane: isolated Lane) async throws {
        while true {
            try fill()
            // The end goes out together with the last bytes.
            if taken == parcel.length { return }
            try await connection.turn(on: lane, waking: needsContent)
            try takeAnswers()
        }
    }

    /// Queues writes as far as there is content and room.
    private mutating func fill() throws(Failure) {
        needsContent = false
        while taken < parcel.length, connection.unsent < Self.longestUnsent,
            window.hasRoom(for: scratch.count)
        {
            let wanted = Int(min(Int64(scratch.count), parcel.length - taken))
            let answer = scratch.withUnsafeMutableBytes {
                source.read(into: UnsafeMutableRawBufferPointer(rebasing: $0[..<wanted]))
            }
            switch answer {
            case .bytes(let count): write(count)
            case .wait:
                needsContent = true
                return
            case .fail(let failure): throw failure
            case .end:
                throw Failure(.temporary, text: "\(doing): the source ended before all of it was read")
            }
        }
    }

    private mutating func write(_ count: Int) {
        let offset = parcel.opening.offset + taken
        let id = connection.send(.write) { [handle, scratch] writer in
            writer.put(handle)
            writer.put(UInt64(offset))
            writer.put(scratch[..<count])
        }
        window.add(id, count)
        taken += Int64(count)
    }

    private mutating func takeAnswers() throws {
        while let id = window.oldest, let answer = connection.take(id) {
            window.removeOldest()
            try accept(answer)
        }
    }

    private func accept(_ answer: SFTPReply) throws {
        let status = try answer.status
        guard status.isSuccess else { throw Failure(status, doing: doing, stores: true) }
    }

    private mutating func finish(on lane: isolated Lane) async throws {
        let end = connection.close(handle)
        let question = connection.stat(parcel.path)
        while let id = window.oldest {
            try accept(try await connection.answer(to: id, on: lane))
            window.removeOldest()
        }
        let status = try await connection.answer(to: end, on: lane).status
        let attributes = try await connection.attributes(question, on: lane)
        guard status.isSuccess else {
            // Whatever is there now looks whole and may not be.
            _ = try await connection.ask(.remove, on: lane) { $0.put(parcel.path.bytes) }
            throw Failure(
                .temporary, code: Int(status.code),
                text: "\(doing): the server took all of it and could not put it away: '\(status.words)'")
        }
        if case .size(let size)? = attributes?.file { connection.lastStored = (parcel.path.bytes, size) }
    }

    /// Leaves no open file behind.
    private mutating func giveUp(on lane: isolated Lane) async throws {
        connection.forget(window.requests.map(\.id))
        _ = try await connection.answer(to: connection.close(handle), on: lane)
    }
}
