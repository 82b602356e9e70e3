import FoundationEssentials
import TestServers
import Testing
import TransferModel

@testable import TransferEngine

/// Lists as an FTP server gives them, right and wrong.
@Suite struct ListsOfServers {
    private func list(
        _ path: String = "/", of server: ScriptedFTPServer, in directory: TemporaryDirectory
    ) async throws -> (Ended, [ListedName]) {
        let rig = try LaneRig(directory, url: server.url)
        let job = try rig.remote(.list, at: server.url + path)
        let ended = await rig.run(job)
        return (ended, rig.result(of: job, as: ListedName.self))
    }

    @Test func `MLSD is asked with the path, and the connection stays`() async throws {
        try await withTemporaryDirectory { directory in
            let server = try ScriptedFTPServer()
            server.files.makeDirectory(Array("/d #1".utf8))
            server.files["/d #1/ a"] = [1, 2, 3]
            let rig = try LaneRig(directory, url: server.url)
            for _ in 0..<2 {
                let job = try rig.remote(.list, at: "\(server.url)/d%20%231/")
                #expect(await rig.run(job).hasArrived)
                let names = rig.result(of: job, as: ListedName.self)
                #expect(names.map(\.entry?.name) == [" a"] && names.first?.entry?.size == 3)
            }
            #expect(server.connections == 1)
            #expect(server.lines.filter { $0.hasPrefix("MLSD") } == ["MLSD d #1", "MLSD d #1"])
            #expect(!server.lines.contains { $0.hasPrefix("CWD") })
        }
    }

    @Test(arguments: [true, false]) func `a carriage return in a name is a part of it`(knowsMLSD: Bool)
        async throws
    {
        try await withTemporaryDirectory { directory in
            let server = try ScriptedFTPServer { command in
                command.verb == "MLSD" && !knowsMLSD ? .replies("500 What?") : .right
            }
            for name in ["/Icon\r", "/a\rb", "/c"] { server.files[name] = [1] }
            let (ended, names) = try await list(of: server, in: directory)
            #expect(ended.hasArrived, "\(ended)")
            #expect(Set(names.map(\.entry?.name)) == ["Icon\\x0d", "a\\x0db", "c"], "\(names)")
        }
    }

    @Test func `a server without MLSD is asked in the directory itself, and not twice`() async throws {
        try await withTemporaryDirectory { directory in
            let server = try ScriptedFTPServer { command in
                command.verb == "MLSD" ? .replies("500 What?") : .right
            }
            server.files.makeDirectory(Array("/-l a".utf8))
            server.files["/-l a/b"] = [1]
            let rig = try LaneRig(directory, url: server.url)
            for _ in 0..<2 {
                let job = try rig.remote(.list, at: "\(server.url)/-l%20a")
                #expect(await rig.run(job).hasArrived)
                #expect(rig.result(of: job, as: ListedName.self).map(\.entry?.name) == ["b"])
            }
            let asked = server.lines.filter { $0.hasPrefix("MLSD") || $0.hasPrefix("LIST") }
            #expect(asked == ["MLSD -l a", "LIST", "LIST"])
        }
    }

    @Test func `after a list the paths of later jobs begin where they did`() async throws {
        try await withTemporaryDirectory { directory in
            let server = try ScriptedFTPServer { command in
                command.verb == "MLSD" ? .replies("502 No.") : .right
            }
            server.files.makeDirectory(Array("/d".utf8))
            let rig = try LaneRig(directory, url: server.url)
            #expect(await rig.run(try rig.remote(.list, at: "\(server.url)/d/")).hasArrived)
            let made = try rig.remote(.makeDirectory(withParents: false), at: "\(server.url)/e")
            #expect(await rig.run(made).hasArrived)
            #expect(server.files.isDirectory(Array("/e".utf8)))
        }
    }

    @Test(arguments: ["550 No files found.", "450 No such file or directory.", "450 Nothing here."])
    func `a directory that its server calls empty is empty`(reply: String) async throws {
        try await withTemporaryDirectory { directory in
            let server = try ScriptedFTPServer { command in
                ["MLSD", "LIST"].contains(command.verb) ? .replies(reply) : .right
            }
            server.files.makeDirectory(Array("/d".utf8))
            let (ended, names) = try await list("/d/", of: server, in: directory)
            #expect(ended.hasArrived && names.isEmpty)
        }
    }

    @Test(arguments: ["550 No files found.", "450 No such file or directory."])
    func `a directory that is not there is not empty`(reply: String) async throws {
        try await withTemporaryDirectory { directory in
            let server = try ScriptedFTPServer { command in
                ["MLSD", "LIST"].contains(command.verb) ? .replies(reply) : .right
            }
            let (ended, _) = try await list("/missing/", of: server, in: directory)
            #expect(ended.failure?.class == .permanent)
            #expect(ended.failure?.text.contains("550 No such directory.") == true)
        }
    }

    @Test(arguments: ["550 Permission denied.", "450 Permission denied.", "451 Disk error."])
    func `a list that is refused is no empty one`(reply: String) async throws {
        try await withTemporaryDirectory { directory in
            let server = try ScriptedFTPServer { command in
                ["MLSD", "LIST"].contains(command.verb) ? .replies(reply) : .right
            }
            server.files.makeDirectory(Array("/d".utf8))
            let (ended, _) = try await list("/d/", of: server, in: directory)
            #expect(ended.failure?.text.contains(reply) == true, "\(ended.outcome)")
        }
    }

    @Test(arguments: ["MLSD", "LIST"])
    func `a list that was cut is a failure, whatever the server says`(verb: String) async throws {
        try await withTemporaryDirectory { directory in
            let server = try ScriptedFTPServer { command in
                if command.verb == "MLSD", verb == "LIST" { return .replies("500 What?") }
                guard command.verb == verb else { return .right }
                var behaviour = FTPBehaviour.cutsData(after: 30)
                behaviour.finalReply = "226 All sent."
                return behaviour
            }
            server.files["/a file"] = [1]
            server.files["/another file"] = [1]
            let (ended, names) = try await list(of: server, in: directory)
            #expect(ended.failure?.text.contains("cut in the middle of a line") == true, "\(ended.outcome)")
            #expect(names.isEmpty)
        }
    }

    @Test func `a list whose data connection broke is a failure`() async throws {
        try await withTemporaryDirectory { directory in
            let server = try ScriptedFTPServer { command in
                command.verb == "MLSD" ? .cutsData(after: 30) : .right
            }
            server.files["/a file"] = [1]
            let (ended, _) = try await list(of: server, in: directory)
            #expect(ended.failure?.code == 426, "\(ended.outcome)")
        }
    }

    @Test func `of a file its directory says what it is`() async throws {
        try await withTemporaryDirectory { directory in
            let server = try ScriptedFTPServer { command in
                command.verb == "MLSD" && command.text.hasSuffix("b") ? .replies("501 No directory.") : .right
            }
            server.files.makeDirectory(Array("/d".utf8))
            server.files["/d/b"] = [1, 2]
            server.files["/d/c"] = [1]
            let (ended, names) = try await list("/d/b", of: server, in: directory)
            #expect(ended.hasArrived && names.map(\.entry?.name) == ["b"])
        }
    }

    @Test func `a name with an escape sequence is kept, and harmless in the result`() async throws {
        try await withTemporaryDirectory { directory in
            let server = try ScriptedFTPServer()
            server.files["/good"] = [1]
            server.files[raw: Array("/evil\u{1b}[2J".utf8)] = [1]
            let (ended, names) = try await list(of: server, in: directory)
            #expect(ended.hasArrived)
            #expect(names.compactMap(\.entry?.name).sorted() == ["evil\\x1b[2J", "good"])
        }
    }
}

extension LaneRig {
    /// A remote job that somebody waits for.
    func remote(_ operation: RemoteOperation, at url: String) throws -> Job {
        let number = nextNumber()
        let new = NewJob(
            url: try TransferURL(url), description: .remote(RemoteDescription(operation)),
            idempotencyKey: "k3y-\(number)", expiresAt: Timestamp(rawValue: .max),
            createdAt: Timestamp(rawValue: 0))
        return Job(id: JobID(rawValue: number), new: new, state: .running(since: Timestamp(rawValue: 0)))
    }

    /// The lines of a result; none when there is none.
    func result<Line: Decodable>(of job: Job, as type: Line.Type) -> [Line] {
        let text = (try? TestFile.read(places.result(of: job.id).description)) ?? []
        return text.split(separator: UInt8(ascii: "\n")).compactMap {
            try? JSONDecoder().decode(type, from: Data($0))
        }
    }
}
