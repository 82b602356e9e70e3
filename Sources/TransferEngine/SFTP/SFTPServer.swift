internal import TransferModel

/// A file server that speaks SFTP version 3.
///
/// Names are bytes and need no quoting. A connection that the lane kept and that turns out to be dead before anything was
/// answered is replaced, once, where asking twice does no harm.
struct SFTPServer: FileServer {
    let assignment: Assignment

    /// Bounds each request as a whole.
    private let limit: Duration?

    init(_ assignment: Assignment, limit: Duration? = nil) {
        self.assignment = assignment
        self.limit = limit
    }

    var sizeSource: String { "stat" }

    /// Of a body that was cut, writes may be missing that were under way with others that are there.
    var writesByOffset: Bool { true }
    var uncertainTail: Int64 { Int64(SFTPWindow.largest) }

    /// Carries out `work` over the lane's connection; what the server refuses is thrown as ``SFTPStatus`` there and as a
    /// ``Failure`` here.
    ///
    /// - Parameter mayRepeat: whether `work` may be carried out again although the server may have done it.
    func carryOut<Value>(
        _ doing: String, mayRepeat: Bool = true, on lane: isolated Lane,
        _ work: (SFTPConnection) async throws -> Value
    ) async throws -> Value {
        let kept = lane.sftp
        let connection = try await lane.sftpConnection(assignment)
        let answers = connection.answers
        connection.setDeadline(limit)
        do {
            return try await once(doing, connection, lane, work)
        } catch let error as SSHError {
            guard mayRepeat, connection === kept, connection.answers == answers else {
                throw Failure(error, doing: doing)
            }
        }
        do {
            let fresh = try await lane.sftpConnection(assignment)
            fresh.setDeadline(limit)
            return try await once(doing, fresh, lane, work)
        } catch let error as SSHError {
            throw Failure(error, doing: doing)
        }
    }

    /// A connection of which not every answer was taken is of no more use.
    private func once<Value>(
        _ doing: String, _ connection: SFTPConnection, _ lane: isolated Lane,
        _ work: (SFTPConnection) async throws -> Value
    ) async throws -> Value {
        do {
            return try await work(connection)
        } catch let status as SFTPStatus {
            throw Failure(status, doing: doing)
        } catch let failure as Failure {
            throw failure
        } catch is SFTPFormatError {
            lane.sftp = nil
            throw Failure(.temporary, text: "\(doing): the server's answer follows no known form")
        } catch {
            lane.sftp = nil
            throw error
        }
    }

    /// What is said of a path to a person.
    func name(_ path: RemotePath) -> String { "\(path) at \(assignment.job.origin)" }
}

extension SFTPServer {
    func find(_ paths: [RemotePath], on lane: isolated Lane) async throws -> [RemoteFile] {
        try await carryOut("asking for \(assignment.job.url)", on: lane) { connection in
            let ids = paths.map { connection.stat($0) }
            var files: [RemoteFile] = []
            for id in ids { files.append(try await connection.file(id, on: lane)) }
            return files
        }
    }

    func modified(of path: RemotePath, on lane: isolated Lane) async throws -> Timestamp? {
        try await carryOut("asking for \(name(path))", on: lane) { connection in
            let found = try await connection.attributes(connection.stat(path), on: lane)
            return found?.modified.map { Timestamp(rawValue: Int64($0) * 1000) }
        }
    }

    func remove(_ path: RemotePath, on lane: isolated Lane) async throws -> Bool {
        try await carryOut("removing \(name(path))", on: lane) { connection in
            connection.lastStored = nil
            let status = try await connection.ask(.remove, on: lane) { $0.put(path.bytes) }.status
            if status.isAbsent { return false }
            guard status.isSuccess else { throw status }
            return true
        }
    }

    /// Made all at once, without waiting for one another; a refusal counts only where the last one is not there then.
    @discardableResult
    func makeDirectories(_ paths: [RemotePath], on lane: isolated Lane) async throws -> Failure? {
        guard let last = paths.last else { return nil }
        let doing = "making the directory \(name(last))"
        return try await carryOut(doing, on: lane) { connection in
            let ids = paths.map { path in
                connection.send(.makeDirectory) { writer in
                    writer.put(path.bytes)
                    writer.put(SFTPAttributes())
                }
            }
            let found = connection.stat(last)
            var status = SFTPStatus(code: SFTPStatus.ok, text: [])
            for id in ids { status = try await connection.answer(to: id, on: lane).status }
            let isDirectory =
                try await connection.attributes(found, on: lane).map { $0.kind != .file } ?? false
            if !status.isSuccess, !isDirectory { throw status }
            return status.isSuccess ? nil : Failure(status, doing: doing)
        }
    }

    func removeDirectory(_ path: RemotePath, on lane: isolated Lane) async throws {
        try await carryOut("removing the directory \(name(path))", on: lane) { connection in
            try await connection.ask(.removeDirectory, on: lane) { $0.put(path.bytes) }.check()
        }
    }

    func setModified(_ time: Timestamp, of path: RemotePath, on lane: isolated Lane) async throws -> String? {
        // The draft's times end in 2106 and begin in 1970.
        guard let seconds = UInt32(exactly: time.rawValue / 1_000) else { return nil }
        return try await set(SFTPAttributes(modified: seconds), of: path, on: lane)
    }

    func setPermissions(
        _ permissions: Permissions, of path: RemotePath, on lane: isolated Lane
    ) async throws -> String? {
        try await set(SFTPAttributes(permissions: UInt32(permissions.bits)), of: path, on: lane)
    }

    private func set(
        _ attributes: SFTPAttributes, of path: RemotePath, on lane: isolated Lane
    ) async throws -> String? {
        try await carryOut("setting attributes of \(name(path))", on: lane) { connection in
            let answer = try await connection.ask(.setStatus, on: lane) { writer in
                writer.put(path.bytes)
                writer.put(attributes)
            }
            return try answer.status.isSuccess ? "SETSTAT" : nil
        }
    }

    /// OpenSSH computes none.
    func checksumAlgorithm(on lane: isolated Lane) async throws -> ChecksumAlgorithm? { nil }

    func checksum(of path: RemotePath, on lane: isolated Lane) async throws -> RemoteChecksum? { nil }
}
