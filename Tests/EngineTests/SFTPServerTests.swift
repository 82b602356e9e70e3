import TestServers
import Testing
import TransferModel

@testable import TransferEngine

@Suite struct `An SFTP server` {
    /// A real sshd and a lane to it.
    private func rig(_ body: (SFTPRig) async throws -> Void) async throws {
        let directory = try TemporaryDirectory()
        let server = try await OpenSSHServer.start(in: directory)
        try await body(try SFTPRig(server, in: directory))
        await server.stop()
    }

    @Test(arguments: [0, 1, 4_096, 32_768, 3_000_001])
    func `takes a file of any size and keeps it under any name`(size: Int) async throws {
        try await rig { rig in
            let path = rig.path("it's \"new\" #1 ü.bin")
            try await rig.store(.pattern(size), at: path)
            let file = "\(rig.server.home)/it's \"new\" #1 ü.bin"
            #expect(TestFile.sha256(file) == TestContent.pattern(size).sha256)
            #expect(try await rig.ask { try await $0.find([path], on: $1) } == [.size(Int64(size))])
        }
    }

    @Test func `keeps names that are no text`() async throws {
        try await rig { rig in
            let path = RemotePath(
                isAbsolute: true, names: rig.path().names + [[0xff, 0x20, 0xfe, UInt8(ascii: "\\")]])
            try await rig.store(.pattern(10), at: path)
            #expect(try TestFile.names(in: rig.server.home) == [[0xff, 0x20, 0xfe, UInt8(ascii: "\\")]])
        }
    }

    @Test func `makes directories, those that are there too`() async throws {
        try await rig { rig in
            let deep = rig.path("a", "b c", "d")
            for _ in 0..<2 {
                _ = try await rig.ask { try await $0.makeDirectories(deep.parents + [deep], on: $1) }
            }
            #expect(TestFile.exists("\(rig.server.home)/a/b c/d"))
            let failure = await rig.failure {
                _ = try await $0.makeDirectories([RemotePath(isAbsolute: true, names: [[0x61]])], on: $1)
            }
            #expect(failure?.class == .permanent)
            try await rig.ask { try await $0.removeDirectory(deep, on: $1) }
            #expect(!TestFile.exists("\(rig.server.home)/a/b c/d"))
        }
    }

    @Test func `says that a directory is missing`() async throws {
        try await rig { rig in
            let lacks = try await rig.ask { server, lane in
                let parcel = Parcel(
                    path: rig.path("none", "x"), opening: .create, doing: "uploading it", length: 1,
                    body: ArrayBody([1]))
                guard case .refused(_, let lacks) = try await server.store(parcel, on: lane) else {
                    return false
                }
                return lacks
            }
            #expect(lacks)
        }
    }

    @Test func `goes on with a file at any offset and forgets what stood behind it`() async throws {
        try await rig { rig in
            let whole = TestContent.pattern(500_000)
            try await rig.store(.pattern(700_000, seed: 1), at: rig.path("x"))
            try await rig.store(whole.slice(0..<300_000), at: rig.path("x"))
            try await rig.store(whole.slice(200_000..<500_000), at: rig.path("x"), from: 200_000)
            #expect(TestFile.sha256("\(rig.server.home)/x") == whole.sha256)
        }
    }

    @Test func `renames over a file, and not where it is to stay`() async throws {
        try await rig { rig in
            for (name, size) in [("new", 100), ("old", 5)] {
                try await rig.store(.pattern(size), at: rig.path(name))
            }
            func move(_ size: Int64, replaces: Bool) async throws -> TransferEngine.Moved {
                try await rig.ask { server, lane in
                    try await server.move(
                        RemoteMove(
                            from: rig.path("new"), to: rig.path("old"), size: size, replaces: replaces),
                        on: lane)
                }
            }
            guard case .wrongSize(.size(100)) = try await move(99, replaces: true) else {
                Issue.record("a wrong size")
                return
            }
            guard case .taken = try await move(100, replaces: false) else {
                Issue.record("the name is taken")
                return
            }
            guard case .done(isVerified: true) = try await move(100, replaces: true) else {
                Issue.record("it is renamed")
                return
            }
            #expect(TestFile.size("\(rig.server.home)/old") == 100)
            #expect(!TestFile.exists("\(rig.server.home)/new"))
        }
    }

    @Test func `sets time and permissions`() async throws {
        try await rig { rig in
            try await rig.store(.pattern(1), at: rig.path("x"))
            let time = Timestamp(rawValue: 1_234_567_890_000)
            let bits = try #require(Permissions("640"))
            let did = try await rig.ask { server, lane in
                [
                    try await server.setModified(time, of: rig.path("x"), on: lane),
                    try await server.setPermissions(bits, of: rig.path("x"), on: lane),
                    try await server.setPermissions(bits, of: rig.path("none"), on: lane),
                ]
            }
            #expect(did == ["SETSTAT", "SETSTAT", nil])
            let entry = try await rig.ask { try await $0.list(rig.path(), on: $1) }.entries.first
            #expect(entry?.modified == time)
            #expect(entry?.permissions == bits)
        }
    }

    @Test func `lists more names than fit into one answer, with all that is known of them`() async throws {
        try await rig { rig in
            for number in 0..<250 {
                try TestFile.write([1, 2, 3], to: "\(rig.server.home)/file \(number)")
            }
            _ = try await rig.ask { server, lane in
                try await server.makeDirectories([rig.path("dir")], on: lane)
                return try await server.quote([Array("ln -s 'file 1' link".utf8)], on: lane)
            }
            let listing = try await rig.ask { try await $0.list(rig.path(), on: $1) }
            #expect(listing.entries.count == 252)
            let link = listing.entries.first { $0.kind == .link }
            #expect(link?.target == Array("file 1".utf8))
            #expect(listing.entries.count { $0.kind == .directory } == 1)
            let file = listing.entries.first { $0.name == Array("file 7".utf8) }
            #expect(file?.size == 3)
            #expect(file?.owner != nil && file?.modified != nil)
        }
    }

    @Test func `carries out the commands that it knows`() async throws {
        try await rig { rig in
            let commands = [
                "mkdir \"a b\"", "*rmdir none", "pwd", "chmod 750 'a b'", "rename 'a b' c\\ d", "rm none",
                "pwd",
            ]
            let replies = try await rig.ask { server, lane in
                try await server.quote(commands.map { Array($0.utf8) }, on: lane)
            }
            #expect(replies.map(\.isRefusal) == [false, false, false, false, false, true])
            #expect(replies[2].text == Array(rig.server.home.utf8))
            #expect(TestFile.exists("\(rig.server.home)/c d"))
        }
    }

    @Test func `lets a range be read, as far as the file goes`() async throws {
        try await rig { rig in
            let content = TestContent.pattern(100_000)
            try await rig.store(content, at: rig.path("x"))
            let (part, end, none) = try await rig.ask { server, lane in
                (
                    try await server.read(10..<65_546, of: rig.path("x"), on: lane),
                    try await server.read(99_990..<100_050, of: rig.path("x"), on: lane),
                    try await server.read(0..<1, of: rig.path("none"), on: lane)
                )
            }
            #expect(part == content.slice(10..<65_546).bytes)
            #expect(end == content.slice(99_990..<100_000).bytes)
            #expect(none == nil)
        }
    }

    @Test func `removes a file once`() async throws {
        try await rig { rig in
            try await rig.store(.pattern(1), at: rig.path("x"))
            let removed = try await rig.ask { server, lane in
                [
                    try await server.remove(rig.path("x"), on: lane),
                    try await server.remove(rig.path("x"), on: lane),
                ]
            }
            #expect(removed == [true, false])
        }
    }

    @Test func `is described with its key, its cipher and what it can`() async throws {
        try await rig { rig in
            let description = try await rig.ask { try await $0.describe(on: $1) }
            #expect(description.failure == nil)
            let facts = Dictionary(uniqueKeysWithValues: description.facts.map { ($0.topic, $0.text) })
            #expect(facts["host key"] == "ssh-ed25519 \(try await rig.server.fingerprint())")
            #expect(facts["directory"] == rig.server.home)
            #expect(facts["cipher"] == "aes128-gcm@openssh.com")
            #expect(facts["rename"]?.contains("in one step") == true)
        }
    }

    @Test func `keeps the connection usable after a body that failed`() async throws {
        try await rig { rig in
            await #expect(throws: Failure.self) {
                try await rig.store(
                    .pattern(3_000_000), at: rig.path("x"), failing: Failure(.local, text: "the disk is gone")
                )
            }
            try await rig.store(.pattern(10), at: rig.path("x"))
            #expect(try await rig.ask { try await $0.find([rig.path("x")], on: $1) } == [.size(10)])
        }
    }
}
