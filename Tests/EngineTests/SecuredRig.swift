import Synchronization
import TestServers
import TransferEngine
import TransferModel

extension OriginSettings {
    /// TLS demanded, by certificates of a test, and little patience.
    static func secured(by certificates: TestCertificates) -> OriginSettings {
        var settings = OriginSettings(name: "test")
        settings.tls = .require
        settings.trust.caFile = FilePath(certificates.authority)
        settings.connectTimeout = .seconds(5)
        settings.stallTimeout = .seconds(5)
        return settings
    }
}

extension ProftpdServer {
    var login: CredentialsTable.Login { .credentials(Credentials(user: user, password: password)) }
}

/// A scripted server that speaks TLS, and a lane to it with a password.
struct SecuredScene {
    let server: ScriptedFTPServer
    let rig: LaneRig

    init(
        _ directory: TemporaryDirectory, newest: Int = 2,
        script: @escaping @Sendable (FTPCommand) -> FTPBehaviour = { _ in .right },
        change: (inout OriginSettings) -> Void = { _ in }
    ) async throws {
        let certificates = try await TestCertificates.make(in: directory)
        server = try ScriptedFTPServer(tls: ScriptedTLS(certificates, newest: newest), script: script)
        var settings = OriginSettings.secured(by: certificates)
        change(&settings)
        rig = try LaneRig(
            directory, url: server.url, settings: settings,
            login: .credentials(Credentials(user: "u", password: "p")))
    }

    func upload(_ count: Int, to path: String = "/in.bin") throws -> Job {
        try rig.upload(rig.source(.pattern(count)), to: server.url + path)
    }

    /// Whether the final file is there whole and alone.
    func holdsOnly(_ count: Int, at path: String = "/in.bin") -> Bool {
        server.files[path] == TestContent.pattern(count).bytes && server.files.names == [path]
    }

    /// Whether a name or password was seen by the server, in whatever way.
    var sawLogin: Bool { server.commands.contains { $0.verb == "USER" || $0.verb == "PASS" } }
}

/// Counts what happened on each connection.
final class ConnectionCount: Sendable {
    private let counts = Mutex<[Int: Int]>([:])

    /// How many came before on this connection.
    func next(_ connection: Int) -> Int {
        counts.withLock { counts in
            defer { counts[connection, default: 0] += 1 }
            return counts[connection, default: 0]
        }
    }
}
