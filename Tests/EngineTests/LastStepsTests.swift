import TestServers
import Testing
import TransferModel

@testable import TransferEngine

@Suite struct `What follows an upload` {
    @Test func `the order is send, compare, rename, time and permissions, checksum, marker, commands`()
        async throws
    {
        let scene = try DeliveryScene { wishes in
            wishes.keepsModified = true
            wishes.permissions = Permissions("640")
            wishes.before = [try NameTemplate("SITE UMASK 022")]
            wishes.afterSent = [try NameTemplate("SITE RUN {path} {size}")]
            wishes.marker = try NameTemplate("{name}.done")
            wishes.checksumFile = try NameTemplate("{name}.sha256")
        } script: { command in
            command.verb == "SITE" || command.verb == "MFMT" ? .replies("200 Done.") : .right
        }
        let ended = try await scene.run(5_000, to: "/d/in.bin")
        #expect(ended.hasArrived, "\(ended)")
        let steps = scene.lines("SITE", "STOR", "RNTO", "MFMT").map {
            $0.split(separator: " ").prefix(2).joined(separator: " ")
        }
        let sums = ".in.bin.sha256.1.k3y1.part"
        #expect(
            steps.suffix(8) == [
                "STOR d/.in.bin.1.k3y1.part", "RNTO d/in.bin",
                "MFMT \(scene.lines("MFMT")[0].split(separator: " ")[1])",
                "SITE CHMOD", "STOR d/\(sums)", "RNTO d/in.bin.sha256", "STOR d/in.bin.done", "SITE RUN",
            ], "\(steps)")
        #expect(steps.first == "SITE UMASK")
        #expect(scene.server.lines.last { $0.hasPrefix("SITE") } == "SITE RUN d/in.bin 5000")
        let sha256 = TestContent.pattern(5_000).sha256
        #expect(
            scene.server.files["/d/in.bin.sha256"] == Array("\(sha256)  in.bin\n".utf8))
        #expect(scene.server.files["/d/in.bin.done"] == [])
        #expect(scene.server.files.names.count == 3)
        #expect(
            sentences(ended) == [
                "sha256:\(sha256)", "size 5000 by SIZE", "modification time by MFMT",
                "permissions 640 by SITE CHMOD", "checksum file in.bin.sha256", "marker in.bin.done",
                "1 command after it",
            ])
    }

    @Test func `markers and commands may tell the digest and the times of the file`() async throws {
        let scene = try DeliveryScene { wishes in
            wishes.before = [try NameTemplate("SITE AGE {mtime} {date:%s}")]
            wishes.afterSent = [try NameTemplate("SITE SUM {sha256} {mtime:%s}")]
            wishes.marker = try NameTemplate("{stem}.{sha256}")
        } script: { command in
            command.verb == "SITE" ? .replies("200 Done.") : .right
        }
        let job = try scene.upload(5_000)
        try TestFile.setModified(scene.rig.directory.appending("spool/file.bin"), to: 1_500_000_000)
        #expect(await scene.rig.run(job).hasArrived)
        let sha256 = TestContent.pattern(5_000).sha256
        #expect(
            scene.lines("SITE") == ["SITE AGE 1500000000 0", "SITE SUM \(sha256) 1500000000"])
        #expect(scene.server.files["/in.\(sha256)"] == [])
    }

    @Test(arguments: ["RNTO", "STOR", "SITE"], [true, false])
    func `an attempt that ends after the rename is followed by one that does the rest and sends nothing`(
        verb: String, isCarriedOut: Bool
    ) async throws {
        let scene = try DeliveryScene { wishes in
            wishes.marker = try NameTemplate("{name}.done")
            wishes.afterSent = [try NameTemplate("SITE RUN")]
        } script: { command in
            let isMarker = command.text.hasSuffix(".done")
            guard command.verb == verb, verb != "STOR" || isMarker else {
                return command.verb == "SITE" ? .replies("200 Done.") : .right
            }
            let first = verb == "STOR" ? command.occurrence == 1 : command.occurrence == 0
            guard first else { return command.verb == "SITE" ? .replies("200 Done.") : .right }
            return isCarriedOut ? .closesConnection : .lost
        }
        let job = try scene.upload(5_000)
        var ended = await scene.rig.run(job)
        for _ in 0..<3 where !ended.hasArrived {
            #expect(ended.failure?.class == .temporary, "\(ended)")
            ended = await scene.rig.run(scene.rig.next(job, after: ended))
        }
        #expect(ended.hasArrived, "\(ended)")
        #expect(scene.server.files.names == ["/in.bin", "/in.bin.done"])
        #expect(scene.server.commands.count { $0.verb == "STOR" && $0.text.hasSuffix(".part") } == 1)
        #expect(scene.server.lines.contains("SITE RUN"))
    }

    @Test func `what a partner has taken away already is not sent again for its marker`() async throws {
        let scene = try DeliveryScene {
            $0.marker = try NameTemplate("{name}.done")
        } script: { command in
            command.verb == "STOR" && command.occurrence == 1 ? .replies("452 Full.") : .right
        }
        let job = try scene.upload(5_000)
        let first = await scene.rig.run(job)
        #expect(first.failure?.class == .temporary, "\(first)")
        #expect(first.checkpoint.isInPlace == true)
        scene.server.files["/in.bin"] = nil
        let second = await scene.rig.run(scene.rig.next(job, after: first))
        #expect(second.hasArrived, "\(second)")
        #expect(scene.server.files.names == ["/in.bin.done"])
        #expect(sentences(second) == ["size 5000 by SIZE", "marker in.bin.done"])
    }

    @Test func `a command before the file that is refused fails the job before a byte is sent`() async throws
    {
        let scene = try DeliveryScene {
            $0.before = [try NameTemplate("SITE NO")]
        } script: { command in
            command.verb == "SITE" ? .replies("550 Not you.") : .right
        }
        let ended = try await scene.run(5_000)
        #expect(ended.failure?.class == .permanent, "\(ended)")
        #expect(ended.failure?.text.contains("550 Not you.") == true)
        #expect(scene.count("STOR") == 0)
    }

    @Test func `a command with a star may be refused`() async throws {
        let scene = try DeliveryScene { wishes in
            wishes.before = [try NameTemplate("*SITE NO")]
            wishes.afterSent = [try NameTemplate("*SITE NEITHER"), try NameTemplate("NOOP")]
        } script: { command in
            command.verb == "SITE" ? .replies("550 Not you.") : .right
        }
        let ended = try await scene.run(5_000)
        #expect(ended.hasArrived, "\(ended)")
        #expect(scene.lines("SITE") == ["SITE NO", "SITE NEITHER"])
        #expect(scene.count("NOOP") == 1)
    }

    @Test(arguments: [("450 Later.", Failure.Class.temporary), ("550 Never.", .permanent)])
    func `a refused command after the file fails the job and leaves the file`(
        reply: String, meaning: Failure.Class
    ) async throws {
        let scene = try DeliveryScene {
            $0.afterSent = [try NameTemplate("SITE RUN")]
        } script: { command in
            command.verb == "SITE" && command.occurrence == 0
                ? .replies(reply) : command.verb == "SITE" ? .replies("200 Ok.") : .right
        }
        let job = try scene.upload(5_000)
        let first = await scene.rig.run(job)
        #expect(first.failure?.class == meaning, "\(first)")
        #expect(first.failure?.text.contains(reply) == true)
        #expect(scene.holds(5_000))
        let second = await scene.rig.run(scene.rig.next(job, after: first))
        #expect(second.hasArrived, "\(second)")
        #expect(scene.count("STOR") == 1)
        #expect(scene.server.files.names == ["/in.bin"])
    }

    @Test func `a name that would begin another command is refused, clearly`() async throws {
        let scene = try DeliveryScene { $0.afterSent = [try NameTemplate("SITE RUN {route}")] }
        var job = try scene.upload(10)
        var new = NewJob(
            url: job.url, description: job.description, idempotencyKey: "k", expiresAt: job.expiresAt,
            createdAt: job.createdAt)
        new.route = "a\r\nDELE b"
        job = Job(id: job.id, new: new, state: job.state)
        let ended = await scene.rig.run(job)
        #expect(ended.failure?.class == .permanent, "\(ended)")
        #expect(ended.failure?.text.contains("control byte") == true)
        #expect(scene.server.connections == 0)
    }

    @Test func `a marker that would be the file itself is refused`() async throws {
        let scene = try DeliveryScene { $0.marker = try NameTemplate("{name}") }
        let ended = try await scene.run(10)
        #expect(ended.failure?.class == .permanent, "\(ended)")
        #expect(scene.server.connections == 0)
    }

    @Test func `the name in a checksum file is written as sha256sum reads it`() {
        let line = ChecksumLine.bytes("ab", name: Array("a\\b".utf8))
        #expect(line == Array("\\ab  a\\\\b\n".utf8))
    }

    @Test func `a time that no command takes is no failure, and said`() async throws {
        let scene = try DeliveryScene { wishes in
            wishes.keepsModified = true
            wishes.permissions = Permissions("0644")
        }
        let ended = try await scene.run(10)
        #expect(
            sentences(ended) == [
                "size 10 by SIZE", "modification time not kept: the server takes none",
                "permissions not set: the server refuses to",
            ], "\(ended)")
        let tried = scene.lines("MFMT", "MDTM", "SITE").count
        #expect(tried == 5)
        _ = try await scene.run(10)
        // What the server does not know is not asked of it again.
        #expect(scene.lines("MFMT").count == 1)
    }

    @Test(arguments: [
        ("SITE", "SITE UTIME 20240102030405 in.bin"),
        ("SITE3", "SITE UTIME in.bin 20240102030405 20240102030405 20240102030405 UTC"),
        ("MDTM", "MDTM 20240102030405 in.bin"), ("MFMT", "MFMT 20240102030405 in.bin"),
    ])
    func `a time is told in the way that the server takes`(way: String, line: String) async throws {
        let scene = try DeliveryScene {
            $0.keepsModified = true
        } script: { command in
            switch command.verb {
            case "MFMT": way == "MFMT" ? .replies("213 Modify=20240102030405; in.bin") : .replies("500 What?")
            case "MDTM": way == "MDTM" ? .replies("213 File modification time set.") : .right
            case "SITE":
                way == "SITE" || way == "SITE3" && command.text.hasSuffix("UTC")
                    ? .replies("200 UTIME okay.") : .replies("501 Bad time.")
            default: .right
            }
        }
        let source = try scene.rig.source(.pattern(10))
        try TestFile.setModified(scene.rig.directory.appending("spool/file.bin"), to: 1_704_164_645)
        let ended = await scene.rig.run(try scene.rig.upload(source, to: "\(scene.server.url)/in.bin"))
        #expect(scene.lines("MFMT", "MDTM", "SITE").last == line, "\(ended)")
        #expect(ended.arrival?.digest?.contains("modification time by") == true)
    }

    @Test(arguments: [
        (0, "19700101000000"), (951_782_399, "20000228235959"), (951_782_400, "20000229000000"),
        (-1, "19691231235959"), (4_102_444_799, "20991231235959"),
    ]) func `a time is written in UTC`(seconds: Int64, text: String) {
        #expect(FTPTime(Timestamp(rawValue: seconds * 1_000))?.text == text)
    }

    @Test func `vsftpd, which has no MFMT, keeps the time and sets the permissions`() async throws {
        let directory = try TemporaryDirectory()
        let server = try await VsftpdServer.start(in: directory, extra: ["chmod_enable=YES"])
        var settings = OriginSettings(name: "test")
        settings.delivery.keepsModified = true
        let rig = try LaneRig(directory, url: server.url, settings: settings)
        let source = try rig.source(.pattern(10))
        try TestFile.setModified(directory.appending("spool/file.bin"), to: 1_704_164_645)
        let ended = await rig.run(try rig.upload(source, to: "\(server.url)/a b.bin"))
        #expect(sentences(ended).contains { $0.hasPrefix("modification time by") }, "\(ended)")
        #expect(try TestFile.modified("\(server.home)/a b.bin") == 1_704_164_645)
        await server.stop()
    }

    @Test func `proftpd keeps the time, sets the permissions and computes a checksum`() async throws {
        let directory = try TemporaryDirectory()
        let server = try await ProftpdServer.start(
            in: directory, extra: ["LoadModule mod_digest.c", "DigestAlgorithms all"])
        var settings = OriginSettings(name: "test")
        settings.delivery.keepsModified = true
        settings.delivery.permissions = Permissions("640")
        settings.delivery.verification = .checksum
        let login = CredentialsTable.Login.credentials(
            Credentials(user: server.user, password: server.password))
        let rig = try LaneRig(directory, url: server.url, settings: settings, login: login)
        let source = try rig.source(.pattern(10))
        try TestFile.setModified(directory.appending("spool/file.bin"), to: 1_704_164_645)
        let ended = await rig.run(try rig.upload(source, to: "\(server.url)/a b.bin"))
        #expect(
            sentences(ended) == [
                "SHA-512 by HASH equal", "size 10 by SIZE", "modification time by MFMT",
                "permissions 640 by SITE CHMOD",
            ], "\(ended)")
        #expect(try TestFile.modified("\(server.home)/a b.bin") == 1_704_164_645)
        #expect(try TestFile.mode("\(server.home)/a b.bin") == 0o640)
        await server.stop()
    }
}
