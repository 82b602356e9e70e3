import TestServers
import Testing
import TransferModel

@testable import TransferEngine

/// The second and every later small file of a lane goes over its kept FTP connection without libcurl.
@Suite struct SmallFileTests {
    private let server: ScriptedFTPServer
    private let rig: LaneRig

    private init(
        settings: OriginSettings = OriginSettings(name: "test"),
        _ script: @escaping @Sendable (FTPCommand) -> FTPBehaviour
    ) throws {
        server = try ScriptedFTPServer(script: script)
        rig = try LaneRig(TemporaryDirectory(), url: server.url, settings: settings)
    }

    init() throws { try self.init { _ in .right } }

    private static func impatient() -> OriginSettings {
        var settings = OriginSettings(name: "test")
        settings.stallTimeout = .seconds(1)
        settings.connectTimeout = .seconds(1)
        return settings
    }

    private func upload(_ count: Int, to name: String) throws -> Job {
        try rig.upload(rig.source(.pattern(count)), to: "\(server.url)/\(name)")
    }

    private func send(_ count: Int, to name: String) async throws -> Ended {
        await rig.run(try upload(count, to: name))
    }

    private func arrives(_ count: Int, at name: String) async throws -> Bool {
        let ended = try await send(count, to: name)
        return ended.hasArrived && holds(count, at: name)
    }

    private func holds(_ count: Int, at name: String) -> Bool {
        server.files["/" + name] == TestContent.pattern(count).bytes
    }

    /// What was sent to the server by the file that comes after a first one.
    private func linesOfNext(_ count: Int, to name: String) async throws -> (Ended, [String]) {
        #expect(try await send(10, to: "first").hasArrived)
        let before = server.lines.count
        let ended = try await send(count, to: name)
        return (ended, Array(server.lines.dropFirst(before)))
    }

    @Test(arguments: [0, 1, 4_096, 65_536, 65_537, 300_000])
    func `a file after another is whole, over the same connection`(size: Int) async throws {
        let (ended, lines) = try await linesOfNext(size, to: "b")
        #expect(ended.hasArrived, "\(ended)")
        #expect(holds(size, at: "b") && server.connections == 1)
        let part = ".b.2.k3y2.part"
        #expect(lines == ["EPSV", "STOR \(part)", "SIZE \(part)", "RNFR \(part)", "RNTO b"])
    }

    @Test func `many files in a row are whole`() async throws {
        for number in 0..<50 { #expect(try await send(number * 131, to: "f\(number)").hasArrived) }
        for number in 0..<50 { #expect(holds(number * 131, at: "f\(number)")) }
        #expect(server.connections == 1 && server.commands.count { $0.verb == "TYPE" } == 1)
    }

    @Test func `after a list the type is set again`() async throws {
        #expect(try await send(10, to: "first").hasArrived)
        let list = try rig.remote(.list, at: "\(server.url)/")
        _ = await rig.run(list)
        let before = server.lines.count
        #expect(try await send(20, to: "b").hasArrived)
        #expect(server.lines.dropFirst(before).contains("TYPE I"))
        #expect(holds(20, at: "b"))
    }

    // MARK: What is left to libcurl

    @Test(arguments: [
        "500 What?", "502 No.", "229 nonsense", "229 Entering (|||0|)", "229 Entering (|||99999|)",
        "229 (|||1|)",
        "425 Not now.", "200 Fine.",
    ])
    func `a data connection that cannot be had is libcurl's to make`(reply: String) async throws {
        let scene = try SmallFileTests(settings: Self.impatient()) { command in
            command.verb == "EPSV" && command.occurrence == 1 ? .replies(reply) : .right
        }
        let (ended, lines) = try await scene.linesOfNext(4_096, to: "b")
        #expect(ended.hasArrived, "\(ended)")
        #expect(scene.holds(4_096, at: "b"))
        #expect(lines.count { $0.hasPrefix("STOR") } == 1)
        #expect(try await scene.arrives(77, at: "c"))
    }

    @Test func `a server that refuses EPSV is asked no more`() async throws {
        let scene = try SmallFileTests { command in
            command.verb == "EPSV" && command.occurrence > 0 ? .replies("500 What?") : .right
        }
        for name in ["a", "b", "c", "d"] { #expect(try await scene.send(10, to: name).hasArrived) }
        // Granted once, refused to the lane, and to libcurl, which goes on asking on a connection that it made with EPSV.
        #expect(scene.server.commands.count { $0.verb == "EPSV" } == 3)
        #expect(scene.server.commands.count { $0.verb == "PASV" } == 3)
    }

    @Test func `a goodbye that came while nothing was asked is found before anything is`() async throws {
        let scene = try SmallFileTests { command in
            command.verb == "RNTO" && command.occurrence == 0 ? .endsWith("250 done\r\n421 bye") : .right
        }
        #expect(try await scene.send(10, to: "first").hasArrived)
        #expect(try await scene.send(20, to: "b").hasArrived)
        #expect(scene.holds(20, at: "b"))
    }

    // MARK: What goes wrong with the file

    @Test(arguments: [
        ("553 No.", Failure.Class.permanent), ("450 Not now.", .temporary), ("421 Bye.", .temporary),
    ])
    func `a refusal of STOR is the file's failure`(reply: String, meaning: Failure.Class) async throws {
        let scene = try SmallFileTests { command in
            command.verb == "STOR" && command.occurrence == 1 ? .replies(reply) : .right
        }
        let (ended, lines) = try await scene.linesOfNext(100, to: "b")
        #expect(ended.failure?.class == meaning && ended.failure?.text.contains(reply) == true, "\(ended)")
        #expect(lines.count { $0.hasPrefix("STOR") } == 1)
        // What follows makes sure that nothing of the file is left; it gets no name.
        #expect(!lines.contains { $0.hasPrefix("RNTO") }, "\(lines)")
        #expect(try await scene.arrives(77, at: "c"))
    }

    @Test func `a missing directory is made`() async throws {
        let scene = try SmallFileTests { command in
            command.verb == "STOR" && command.occurrence == 1 ? .replies("550 No such directory.") : .right
        }
        let (ended, lines) = try await scene.linesOfNext(100, to: "deep/b")
        #expect(ended.hasArrived, "\(ended)")
        #expect(lines.contains("MKD deep"))
    }

    @Test(arguments: [
        ("552 Quota.", Failure.Class.temporary), ("451 Local error.", .temporary),
        ("553 Bad name.", .permanent),
    ])
    func `a refusal after the bytes is the file's failure`(reply: String, meaning: Failure.Class) async throws
    {
        let scene = try SmallFileTests { command in
            command.verb == "STOR" && command.occurrence == 1 ? .endsWith(reply) : .right
        }
        let (ended, _) = try await scene.linesOfNext(100, to: "b")
        #expect(ended.failure?.class == meaning && ended.failure?.text.contains(reply) == true, "\(ended)")
        #expect(!scene.server.files.names.contains("/b"))
        #expect(try await scene.arrives(77, at: "c"))
    }

    @Test func `a data connection that is cut is the file's failure`() async throws {
        let scene = try SmallFileTests { command in
            command.verb == "STOR" && command.occurrence == 1 ? .cutsData(after: 50) : .right
        }
        let (ended, _) = try await scene.linesOfNext(60_000, to: "b")
        #expect(ended.failure?.class == .temporary, "\(ended)")
        #expect(!scene.server.files.names.contains("/b"))
    }

    @Test func `half a file that is said to be whole is found out`() async throws {
        let scene = try SmallFileTests { command in
            command.verb == "STOR" && command.occurrence == 1 ? .stores(atMost: 50) : .right
        }
        let (ended, lines) = try await scene.linesOfNext(100, to: "b")
        #expect(ended.failure?.class == .temporary && ended.stage == .sending, "\(ended)")
        #expect(!lines.contains { $0.hasPrefix("RNFR") } && !scene.server.files.names.contains("/b"))
    }

    @Test(arguments: [FTPBehaviour.closesConnection, .silent])
    func `a whole file whose last word is lost is asked for and put into place`(behaviour: FTPBehaviour)
        async throws
    {
        let scene = try SmallFileTests(settings: Self.impatient()) { command in
            command.verb == "STOR" && command.occurrence == 1 ? behaviour : .right
        }
        let (ended, lines) = try await scene.linesOfNext(100, to: "b")
        #expect(ended.hasArrived, "\(ended)")
        #expect(scene.holds(100, at: "b") && lines.count { $0.hasPrefix("STOR") } == 1)
    }

    private static func calledVsftpd(
        _ script: @escaping @Sendable (FTPCommand) -> FTPBehaviour = { _ in .right }
    ) throws -> SmallFileTests {
        try SmallFileTests(settings: impatient()) { command in
            command.verb == "CONNECT" ? .replies("220 (vsFTPd 3.0.3)") : script(command)
        }
    }

    @Test func `a server that is known to take two commands at once gets them in order`() async throws {
        let scene = try Self.calledVsftpd()
        let (ended, lines) = try await scene.linesOfNext(4_096, to: "b")
        #expect(ended.hasArrived && scene.server.connections == 1, "\(ended)")
        let part = ".b.2.k3y2.part"
        #expect(lines == ["EPSV", "STOR \(part)", "SIZE \(part)", "RNFR \(part)", "RNTO b"])
    }

    @Test(arguments: [FTPBehaviour.replies("213 7"), .replies("550 Not there."), .replies("500 What?")])
    func `what follows a size that is not right does no harm when it went along`(size: FTPBehaviour)
        async throws
    {
        let scene = try Self.calledVsftpd { command in
            command.verb == "SIZE" && command.occurrence == 1 ? size : .right
        }
        let (ended, lines) = try await scene.linesOfNext(100, to: "b")
        let isThere = scene.server.files.names.contains("/b")
        #expect(ended.hasArrived == isThere, "\(ended)")
        #expect(isThere == lines.contains { $0.hasPrefix("RNTO") })
        if isThere { #expect(scene.holds(100, at: "b")) }
        #expect(try await scene.arrives(77, at: "c"))
    }

    @Test func `a kept connection that is dead is replaced at no cost`() async throws {
        #expect(try await send(10, to: "first").hasArrived)
        server.cutConnections()
        #expect(try await send(20, to: "b").hasArrived)
        #expect(holds(20, at: "b") && server.connections == 2)
    }

    @Test(arguments: ["EPSV", "STOR"]) func `a job is cancelled whatever the server keeps back`(verb: String)
        async throws
    {
        let scene = try SmallFileTests { command in
            command.verb == verb && command.occurrence == 1 ? .silent : .right
        }
        #expect(try await scene.send(10, to: "first").hasArrived)
        let job = try scene.upload(100, to: "b")
        scene.rig.start(job)
        try await eventually("the command was sent") { scene.server.commands.count { $0.verb == verb } == 2 }
        scene.rig.lane.cancel(job.id)
        #expect(await scene.rig.end(of: job).outcome == .cancelled)
        #expect(try await scene.arrives(77, at: "c"))
    }

    @Test func `the rename waits for the stage to be recorded, and nothing before it does`() async throws {
        let server = try ScriptedFTPServer()
        let rig = try LaneRig(TemporaryDirectory(), url: server.url, isDurable: false)
        let job = try rig.upload(rig.source(.pattern(100)), to: "\(server.url)/in.bin")
        rig.start(job)
        try await eventually("all but the rename was sent") { server.lines.last?.hasPrefix("RNFR") == true }
        rig.lane.interrupt(job.id)
        let ended = await rig.end(of: job)
        #expect(ended.outcome == .interrupted && ended.stage == .renaming)
        #expect(!server.lines.contains { $0.hasPrefix("RNTO") })
    }
}

@Suite struct ExtendedPassiveReplyTests {
    @Test(arguments: [
        ("Entering Extended Passive Mode (|||6446|)", 6_446), ("(!!!1!)", 1), ("x (|||65535|).", 65_535),
    ])
    func `the port stands between the marks`(text: String, port: Int) {
        #expect(ExtendedPassiveReply.port(Array(text.utf8)) == UInt16(port))
    }

    @Test(arguments: [
        "", "(", "(|||", "(|||)", "(||||)", "(|||0|)", "(|||65536|)", "(|||12", "(|||1a|)", "(||1|)",
        "(   1 )",
    ])
    func `what is no port is none`(text: String) {
        #expect(ExtendedPassiveReply.port(Array(text.utf8)) == nil)
    }
}
