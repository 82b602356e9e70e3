import TestServers
import Testing
import TransferModel

@testable import TransferEngine

/// A lane to a real sshd, to ask it directly.
final class SFTPRig: Sendable {
    let server: OpenSSHServer
    let lanes: LaneRig
    let directory: TemporaryDirectory

    /// - Parameters:
    ///   - port: of a relay before the server; nil: the server's own.
    ///   - change: changes what makes the server trusted and the login right.
    init(
        _ server: OpenSSHServer, in directory: TemporaryDirectory, port: UInt16? = nil,
        login: CredentialsTable.Login? = nil, change: (inout OriginSettings) -> Void = { _ in }
    ) throws {
        self.server = server
        self.directory = directory
        let settings = Self.settings(server, change)
        lanes = try LaneRig(
            directory, url: "sftp://\(server.user)@127.0.0.1:\(port ?? server.port)", settings: settings,
            login: login ?? .missing(user: server.user))
    }

    static func settings(
        _ server: OpenSSHServer, _ change: (inout OriginSettings) -> Void = { _ in }
    ) -> OriginSettings {
        var settings = OriginSettings(name: "test")
        settings.trust.knownHosts = FilePath(server.knownHosts)
        settings.trust.identity = FilePath(server.clientKey)
        change(&settings)
        return settings
    }

    /// A path below the server's home directory.
    func path(_ names: String...) -> RemotePath {
        let home = server.home.utf8.split(separator: UInt8(ascii: "/")).map(Array.init)
        return RemotePath(isAbsolute: true, names: home + names.map { Array($0.utf8) })
    }

    var assignment: Assignment {
        get throws {
            let source = try lanes.source(.bytes([]), name: Array("unused".utf8))
            return Assignment(
                job: try lanes.upload(source, to: "\(lanes.origin)/unused"), attempt: 1,
                origin: lanes.settings,
                route: nil, login: lanes.login, places: lanes.places, unknownOutcome: .hold,
                progress: Progress())
        }
    }

    /// Runs `body` on the lane.
    func ask<Value: Sendable>(
        _ body: @Sendable (SFTPServer, isolated Lane) async throws -> Value
    ) async throws -> Value {
        try await body(SFTPServer(assignment), lanes.lane)
    }

    /// Stores `content`, from `offset` on.
    func store(
        _ content: TestContent, at path: RemotePath, from offset: Int64 = 0, failing: Failure? = nil
    ) async throws {
        try await ask { server, lane in
            let body = ArrayBody(content.bytes, failing: failing)
            let parcel = Parcel(
                path: path, opening: offset == 0 ? .create : .restart(at: offset), doing: "uploading it",
                length: Int64(content.count), body: body)
            switch try await server.store(parcel, on: lane) {
            case .whole: break
            case .unconfirmed(let failure): throw failure
            case .refused(let failure, _): throw failure
            case .taken, .again: throw TestServerError("SFTP stores or refuses")
            }
        }
    }

    /// The failure that `body` ends with.
    func failure(_ body: @Sendable (SFTPServer, isolated Lane) async throws -> Void) async -> Failure? {
        do {
            try await ask(body)
            return nil
        } catch let failure as Failure {
            return failure
        } catch {
            Issue.record("no failure but \(error)")
            return nil
        }
    }
}

/// A body that is there from the start.
final class ArrayBody: StreamedBody {
    private let bytes: [UInt8]
    private let failure: Failure?
    private(set) var offset = 0

    /// - Parameter failing: how it ends, half way.
    init(_ bytes: [UInt8], failing failure: Failure? = nil) {
        self.bytes = bytes
        self.failure = failure
    }

    func read(into space: UnsafeMutableRawBufferPointer) -> ReadAnswer {
        if let failure, offset >= bytes.count / 2 { return .fail(failure) }
        let count = min(space.count, bytes.count - offset)
        bytes.withUnsafeBytes {
            space.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[offset..<(offset + count)]))
        }
        offset += count
        return count == 0 ? .end : .bytes(count)
    }

    func onContent(_ action: @escaping @Sendable () -> Void) {}
}
