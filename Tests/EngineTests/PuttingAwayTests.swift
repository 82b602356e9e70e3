import TestServers
import Testing
import TransferModel

/// What becomes of a file at its server when it has been fetched.
@Suite struct PuttingAwayTests {
    private typealias Script = @Sendable (FTPCommand) -> FTPBehaviour

    private func order(
        _ moveTo: String? = "done/", size: Int64? = 2, modified: Int64? = nil
    ) throws -> RemoteOperation {
        let version = FileVersion(size: size, modified: modified.map { Timestamp(rawValue: $0) })
        return .putAway(PutAway(version: version, moveTo: try moveTo.map { try NameTemplate($0) }))
    }

    private func putAway(
        _ order: RemoteOperation, at server: ScriptedFTPServer, in directory: TemporaryDirectory
    ) async throws -> Ended {
        let rig = try LaneRig(directory, url: server.url)
        return await rig.run(try rig.remote(order, at: "\(server.url)/out/a"))
    }

    private func withServer(
        script: @escaping Script = { _ in .right },
        _ body: (ScriptedFTPServer, TemporaryDirectory) async throws -> Void
    ) async throws {
        try await withTemporaryDirectory { directory in
            let server = try ScriptedFTPServer(script: script)
            server.files.makeDirectory(Array("/out".utf8))
            server.files["/out/a"] = [1, 2]
            try await body(server, directory)
        }
    }

    @Test func `it is moved into a directory beside it, which is made`() async throws {
        try await withServer { server, directory in
            let ended = try await putAway(order(), at: server, in: directory)
            #expect(ended.hasArrived && server.files.names == ["/out/done/a"], "\(ended.outcome)")
        }
    }

    @Test func `from the server's root where the directory begins with a slash`() async throws {
        try await withServer { server, directory in
            let ended = try await putAway(order("/kept/{size}/"), at: server, in: directory)
            #expect(ended.hasArrived && server.files.names == ["/kept/2/a"], "\(ended.outcome)")
        }
    }

    @Test func `a name that is taken there gets a number, and nothing is replaced`() async throws {
        try await withServer { server, directory in
            server.files.makeDirectory(Array("/out/done".utf8))
            server.files["/out/done/a"] = [9]
            let ended = try await putAway(order(), at: server, in: directory)
            #expect(ended.hasArrived && server.files.names == ["/out/done/a", "/out/done/a-1"])
            #expect(server.files["/out/done/a"] == [9])
        }
    }

    @Test func `without a directory it is removed`() async throws {
        try await withServer { server, directory in
            let ended = try await putAway(order(nil), at: server, in: directory)
            #expect(ended.hasArrived && server.files.names.isEmpty)
        }
    }

    @Test func `what is gone already is done`() async throws {
        try await withServer { server, directory in
            server.files["/out/a"] = nil
            for moveTo in ["done/", nil] {
                let ended = try await putAway(order(moveTo), at: server, in: directory)
                #expect(ended.hasArrived, "\(ended.outcome)")
            }
        }
    }

    @Test(arguments: ["done/", nil])
    func `another version stays where it is`(moveTo: String?) async throws {
        let script: Script = { $0.verb == "MDTM" ? .replies("213 20310528120001") : .right }
        try await withServer(script: script) { server, directory in
            let other = try await putAway(order(moveTo, size: 3), at: server, in: directory)
            #expect(other.hasArrived && server.files.names == ["/out/a"])
            let noon = CalendarTime(year: 2031, month: 5, day: 28, hour: 12).timestamp?.rawValue ?? 0
            let later = try await putAway(order(moveTo, modified: noon + 2_000), at: server, in: directory)
            #expect(later.hasArrived && server.files.names == ["/out/a"])
            let same = try await putAway(order(moveTo, modified: noon + 1_000), at: server, in: directory)
            #expect(same.hasArrived && server.files["/out/a"] == nil)
        }
    }

    @Test func `a rename whose reply was lost is done when it is asked for again`() async throws {
        let script: Script = { $0.verb == "RNTO" && $0.occurrence == 0 ? .closesConnection : .right }
        try await withServer(script: script) { server, directory in
            server.files.makeDirectory(Array("/out/done".utf8))
            let lost = try await putAway(order(), at: server, in: directory)
            #expect(lost.failure?.class == .temporary, "\(lost.outcome)")
            let again = try await putAway(order(), at: server, in: directory)
            #expect(again.hasArrived && server.files.names == ["/out/done/a"])
        }
    }

    @Test func `a server that lets nothing be moved is told of, in its words`() async throws {
        let script: Script = { $0.verb == "RNFR" ? .replies("550 Not yours.") : .right }
        try await withServer(script: script) { server, directory in
            let ended = try await putAway(order(), at: server, in: directory)
            #expect(ended.failure?.class == .permanent, "\(ended.outcome)")
            #expect(ended.failure?.text.contains("Not yours") == true)
            #expect(server.files.names == ["/out/a"])
        }
    }
}
