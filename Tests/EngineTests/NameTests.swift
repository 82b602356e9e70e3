import TestServers
import Testing
import TransferEngine
import TransferModel

@Suite struct `Names on the wire` {
    static let odd: [[UInt8]] =
        [
            "a#b", "what?", "100%41", "x;type=a", " blanks at both ends ", "{a,b}", "back\\slash", "-dash",
            "quote\"'",
            "e\u{301}", "\u{e9}", "..hidden", "*", "~", "~root", "[x]",
        ].map { Array($0.utf8) } + [[0xff, 0xfe, 0x41], Array(repeating: 0x61, count: 255)]

    @Test func `what arrives is byte for byte the name`() async throws {
        let server = try ScriptedFTPServer()
        let rig = try LaneRig(TemporaryDirectory(), url: server.url)
        for name in Self.odd {
            let file = try #require(FileName(bytes: name))
            let url = try TransferURL("\(server.url)/d%20%23/").appending(file)
            let ended = await rig.run(try rig.upload(rig.source(.pattern(10), name: name), to: "\(url)"))
            #expect(ended.hasArrived, "\(file): \(ended)")
            #expect(server.files[raw: Array("/d #/".utf8) + name] != nil, "\(file)")
        }
        #expect(server.files.paths.count == Self.odd.count)
    }

    @Test(arguments: ["a%0d%0aDELE%20x", "a%00b", "%2e%2e/x", "../x", "a/..", "a%2fb", "d/"])
    func `what could be another command or another directory is refused before connecting`(path: String)
        async throws
    {
        let server = try ScriptedFTPServer()
        let rig = try LaneRig(TemporaryDirectory(), url: server.url)
        let ended = await rig.run(try rig.upload(rig.source(.pattern(10)), to: "\(server.url)/\(path)"))
        #expect(ended.failure?.class == .permanent, "\(ended)")
        #expect(server.connections == 0)
    }

    @Test(arguments: ["//abs/x", "/%2Fabs/x"])
    func `an absolute path is one`(path: String) async throws {
        let server = try ScriptedFTPServer()
        let rig = try LaneRig(TemporaryDirectory(), url: server.url)
        let ended = await rig.run(try rig.upload(rig.source(.pattern(10)), to: server.url + path))
        #expect(ended.hasArrived, "\(ended)")
        #expect(server.lines.contains("RNTO /abs/x"))
    }

    @Test func `a user without an entry in the credentials file never connects`() async throws {
        let server = try ScriptedFTPServer()
        let rig = try LaneRig(TemporaryDirectory(), url: server.url, login: .missing(user: "anna"))
        let ended = await rig.run(try rig.upload(rig.source(.pattern(10)), to: "\(server.url)/x"))
        #expect(ended.failure?.class == .permanent)
        #expect(ended.failure?.text.contains("anna") == true)
        #expect(server.connections == 0)
    }
}
