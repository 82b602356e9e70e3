internal import TransferModel

extension SFTPConnection {
    /// Asks what stands at a path, links followed.
    func stat(_ path: RemotePath) -> UInt32 { send(.status) { $0.put(path.bytes) } }

    /// The answer to ``stat(_:)`` as far as it is one about a file.
    func file(_ id: UInt32, on lane: isolated Lane) async throws -> RemoteFile {
        let answer = try await answer(to: id, on: lane)
        if answer.message == .statusReply {
            let status = try answer.status
            switch status.code {
            case SFTPStatus.noSuchFile, SFTPStatus.permissionDenied: return .absent
            case SFTPStatus.unsupported: return .unknown
            default: throw status
            }
        }
        var reader = try answer.reader(of: .attributes)
        return try reader.attributes().file
    }

    /// The answer to ``stat(_:)``; nil for a refusal.
    func attributes(_ id: UInt32, on lane: isolated Lane) async throws -> SFTPAttributes? {
        let answer = try await answer(to: id, on: lane)
        guard answer.message == .attributes else { return nil }
        var reader = try answer.reader(of: .attributes)
        return try reader.attributes()
    }

    /// Opens a file; throws the status of a refusal.
    func open(_ path: RemotePath, _ flags: SFTPOpenFlags, on lane: isolated Lane) async throws -> [UInt8] {
        let answer = try await ask(.open, on: lane) { writer in
            writer.put(path.bytes)
            writer.put(flags.rawValue)
            writer.put(SFTPAttributes())
        }
        var reader = try answer.reader(of: .handle)
        return Array(try reader.string())
    }

    func close(_ handle: [UInt8]) -> UInt32 { send(.close) { $0.put(handle) } }
}
