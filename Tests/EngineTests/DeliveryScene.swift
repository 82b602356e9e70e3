import Synchronization
import TestServers
import Testing
import TransferEngine
import TransferModel

/// A scripted server, a lane to it, and how its uploads are to be put into place.
struct DeliveryScene {
    let server: ScriptedFTPServer
    let rig: LaneRig

    init(
        _ wish: (inout DeliveryWishes) throws -> Void = { _ in },
        script: @escaping @Sendable (FTPCommand) -> FTPBehaviour = { _ in .right }
    ) throws {
        var settings = OriginSettings(name: "test")
        settings.stallTimeout = .seconds(5)
        try wish(&settings.delivery)
        server = try ScriptedFTPServer(script: script)
        rig = try LaneRig(TemporaryDirectory(), url: server.url, settings: settings)
    }

    func upload(_ count: Int, to path: String = "/in.bin", seed: UInt8 = 0) throws -> Job {
        try rig.upload(rig.source(.pattern(count, seed: seed)), to: server.url + path)
    }

    func run(_ count: Int, to path: String = "/in.bin") async throws -> Ended {
        await rig.run(try upload(count, to: path))
    }

    func holds(_ count: Int, at path: String = "/in.bin") -> Bool {
        server.files[path] == TestContent.pattern(count).bytes
    }

    func count(_ verb: String) -> Int { server.commands.count { $0.verb == verb } }

    /// The lines of these verbs, in their order.
    func lines(_ verbs: String...) -> [String] {
        server.commands.filter { verbs.contains($0.verb) }.map(\.line)
    }
}

/// The parts of a job's digest.
func sentences(_ ended: Ended) -> [String] {
    ended.arrival?.digest?.split(separator: "; ").map(String.init) ?? []
}

extension FTPBehaviour {
    /// Nothing is done and the connection ends.
    static var lost: FTPBehaviour {
        var behaviour = FTPBehaviour.replies("421 Too late.")
        behaviour.closes = true
        return behaviour
    }
}

/// A server that its own script wants to see.
final class HeldServer: Sendable {
    private let held = Mutex<ScriptedFTPServer?>(nil)

    func set(_ server: ScriptedFTPServer) { held.withLock { $0 = server } }
    var files: FTPFiles? { held.withLock { $0?.files } }
}
