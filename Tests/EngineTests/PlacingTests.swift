import Glibc
import Synchronization
import TestServers
import Testing
import TransferModel

@testable import TransferEngine

@Suite("How a download is put into place") struct PlacingTests {
    private static let modified = "Tue, 02 Jan 2024 03:04:05 GMT"
    private static let seconds = 1_704_164_645

    private func delivery(_ change: (inout DeliveryWishes) -> Void) -> DeliveryWishes {
        var wishes = DeliveryWishes()
        change(&wishes)
        return wishes
    }

    // MARK: Names that are taken

    @Test(arguments: ConflictPolicy.allCases)
    func `a name that is taken is treated as the policy says`(policy: ConflictPolicy) async throws {
        try await withTemporaryDirectory { directory in
            let server = try ScriptedHTTPServer { _ in .text("new") }
            let rig = try LaneRig(directory, url: server.url)
            try TestFile.write(Array("old".utf8), to: rig.downloaded("a.txt"))
            try TestFile.write(Array("old".utf8), to: rig.downloaded("a-1.txt"))
            let job = try rig.download("\(server.url)/x", to: "a.txt") {
                $0.delivery = delivery { $0.onConflict = policy }
            }
            let ended = await rig.run(job)
            let names = try rig.downloads()
            switch policy {
            case .replace:
                #expect(TestFile.text(rig.downloaded("a.txt")) == "new")
                #expect(names == ["a-1.txt", "a.txt"])
            case .rename:
                #expect(ended.arrival?.digest == "saved as a-2.txt", "\(ended)")
                #expect(TestFile.text(rig.downloaded("a-2.txt")) == "new")
                #expect(names == ["a-1.txt", "a-2.txt", "a.txt"])
            case .skip:
                #expect(ended.arrival?.digest?.contains("is already there") == true, "\(ended)")
                #expect(ended.checkpoint.isLeftOut == true)
            case .fail: #expect(ended.failure?.class == .permanent, "\(ended)")
            }
            if policy == .skip || policy == .fail {
                #expect(server.requests.isEmpty)
                #expect(names == ["a-1.txt", "a.txt"])
            }
            if policy != .replace { #expect(TestFile.text(rig.downloaded("a.txt")) == "old") }
        }
    }

    @Test(arguments: [ConflictPolicy.rename, .skip, .fail])
    func `a name that is taken while the file comes is not overwritten`(policy: ConflictPolicy) async throws {
        try await withTemporaryDirectory { directory in
            let taken = directory.appending("downloads/target")
            let server = try ScriptedHTTPServer { _ in
                try? TestFile.write([1], to: taken)
                return .text("new")
            }
            let rig = try LaneRig(directory, url: server.url)
            let job = try rig.download("\(server.url)/x") {
                $0.delivery = delivery { $0.onConflict = policy }
            }
            let ended = await rig.run(job)
            #expect(try TestFile.read(rig.downloaded()) == [1])
            #expect(ended.hasArrived == (policy != .fail), "\(ended)")
            #expect(server.requests.count == 1)
            let expected = policy == .rename ? ["target", "target-1"] : ["target"]
            try await eventually("only what stays") { try rig.downloads() == expected }
        }
    }

    @Test func `a job that was killed before the rename does not take a name that is taken by now`()
        async throws
    {
        try await withTemporaryDirectory { directory in
            let server = try ScriptedHTTPServer { _ in .text("another") }
            let rig = try LaneRig(directory, url: server.url)
            let part = rig.downloaded(".target.7.part")
            try TestFile.write(Array("whole".utf8), to: part)
            try TestFile.write([1], to: rig.downloaded())
            var status = stat()
            #expect(stat(part, &status) == 0)
            var checkpoint = Checkpoint()
            checkpoint.localTemporary = Checkpoint.LocalTemporary(
                name: try #require(FileName(".target.7.part")), status)
            checkpoint.validator = Checkpoint.Validator(total: ByteCount(5))
            checkpoint.proof = "sha256:ab (matches --checksum)"
            let job = try rig.download(
                "\(server.url)/x", offset: ByteCount(5), stage: .renaming, checkpoint: checkpoint
            ) { $0.delivery = delivery { $0.onConflict = .rename } }
            let ended = await rig.run(job)
            #expect(ended.arrival?.digest == "sha256:ab (matches --checksum); saved as target-1", "\(ended)")
            #expect(TestFile.text(rig.downloaded("target-1")) == "whole")
            #expect(try TestFile.read(rig.downloaded()) == [1])
            // Killed after it: the same answer from what stands.
            let again = await rig.run(rig.next(job, after: ended))
            #expect(again.arrival?.digest == ended.arrival?.digest, "\(again)")
            #expect(server.requests.isEmpty)
        }
    }

    // MARK: Time and permissions

    @Test(arguments: [true, false])
    func `the server's time and the permissions that were asked for are set`(isTold: Bool) async throws {
        try await withTemporaryDirectory { directory in
            let server = try ScriptedHTTPServer { request in
                .object(
                    .pattern(10), for: request, lastModified: isTold ? Self.modified : nil)
            }
            let rig = try LaneRig(directory, url: server.url)
            let job = try rig.download("\(server.url)/x") {
                $0.delivery = delivery {
                    $0.keepsModified = true
                    $0.permissions = Permissions(0o640)
                }
            }
            let ended = await rig.run(job)
            #expect(ended.hasArrived, "\(ended)")
            #expect(try TestFile.mode(rig.downloaded()) == 0o640)
            #expect((try TestFile.modified(rig.downloaded()) == Self.seconds) == isTold)
            #expect(ended.arrival?.digest == (isTold ? nil : "the server tells no modification time"))
        }
    }

    @Test func `FTP tells the time too, and is asked first whether there is anything newer`() async throws {
        try await withTemporaryDirectory { directory in
            let server = try ScriptedFTPServer { _ in .right }
            server.files["/x"] = Array("content".utf8)
            let rig = try LaneRig(directory, url: server.url)
            let job = try rig.download("\(server.url)/x") {
                $0.delivery = delivery { $0.keepsModified = true }
                $0.fetch = FetchWishes()
                $0.fetch?.isForNewer = true
            }
            #expect(await rig.run(job).hasArrived)
            #expect(try TestFile.modified(rig.downloaded()) == Self.seconds)
            let again = await rig.run(job)
            #expect(again.arrival?.digest?.hasPrefix("not modified") == true, "\(again)")
            #expect(server.commands.count { $0.verb == "RETR" } == 1)
            server.files["/x"] = Array("more content".utf8)
            #expect(await rig.run(job).hasArrived)
            #expect(TestFile.text(rig.downloaded()) == "more content")
        }
    }

    @Test func `so does SFTP`() async throws {
        try await withTemporaryDirectory { directory in
            let server = try await OpenSSHServer.start(in: directory)
            let rig = try SFTPRig(server, in: directory)
            try TestFile.write(Array("content".utf8), to: "\(server.home)/x")
            try TestFile.setModified("\(server.home)/x", to: Self.seconds)
            let job = try rig.lanes.download("sftp://\(server.user)@127.0.0.1:\(server.port)\(server.home)/x")
            {
                $0.delivery = delivery { $0.keepsModified = true }
                $0.fetch = FetchWishes()
                $0.fetch?.isForNewer = true
            }
            let first = await rig.lanes.run(job)
            #expect(first.hasArrived, "\(first)")
            #expect(try TestFile.modified(rig.lanes.downloaded()) == Self.seconds)
            let again = await rig.lanes.run(job)
            #expect(again.arrival?.digest?.hasPrefix("not modified") == true, "\(again)")
            try TestFile.setModified("\(server.home)/x", to: Self.seconds + 5)
            let newer = await rig.lanes.run(job)
            #expect(newer.arrival?.digest == nil, "\(newer)")
            #expect(try TestFile.modified(rig.lanes.downloaded()) == Self.seconds + 5)
            await server.stop()
        }
    }

    // MARK: Only what is newer

    /// A server whose object has a version, and knows 304.
    private static func answer(_ request: HTTPRequest, tag: String?, time: String?) -> HTTPBehaviour {
        let since = request.header("If-Modified-Since")
        let isKnown = request.header("If-None-Match").map { $0 == tag } ?? (since != nil && since == time)
        if isKnown { return HTTPBehaviour(status: 304) }
        return .object(
            .bytes(Array("content \(tag ?? "")".utf8)), for: request, etag: tag, lastModified: time)
    }

    private func newer(_ rig: LaneRig, _ url: String) throws -> Job {
        try rig.download(url) {
            $0.fetch = FetchWishes()
            $0.fetch?.isForNewer = true
        }
    }

    @Test(arguments: ["tag", "weak", "time"])
    func `what was fetched once is not fetched again until it changes`(kind: String) async throws {
        try await withTemporaryDirectory { directory in
            let version = ScriptedVersion()
            let server = try ScriptedHTTPServer { request in
                let number = version.number
                switch kind {
                case "tag": return Self.answer(request, tag: "\"v\(number)\"", time: nil)
                case "weak": return Self.answer(request, tag: "W/\"v\(number)\"", time: Self.modified)
                default:
                    return Self.answer(
                        request, tag: nil, time: number == 1 ? Self.modified : "Wed, 03 Jan 2024 03:04:05 GMT"
                    )
                }
            }
            let rig = try LaneRig(directory, url: server.url)
            let job = try newer(rig, "\(server.url)/x")
            #expect(await rig.run(job).arrival?.digest == nil)
            let before = try TestFile.read(rig.downloaded())
            let again = await rig.run(job)
            #expect(again.arrival?.digest?.hasPrefix("not modified: ") == true, "\(again)")
            #expect(again.checkpoint.isLeftOut == true)
            #expect(try TestFile.read(rig.downloaded()) == before)
            version.next()
            let changed = await rig.run(job)
            #expect(changed.hasArrived && changed.checkpoint.isLeftOut == nil, "\(changed)")
            #expect(server.requests.count == 3)
            // A file that somebody wrote to is no version of the server's.
            try TestFile.write([1], to: rig.downloaded())
            #expect(await rig.run(job).hasArrived)
            #expect(server.requests.last?.header("If-None-Match") == nil)
            // Another address has versions of its own.
            let other = await rig.run(try newer(rig, "\(server.url)/other"))
            #expect(other.hasArrived)
            #expect(server.requests.last?.header("If-None-Match") == nil)
        }
    }

    @Test func `a real web server is asked for nothing that is here`() async throws {
        try await withTemporaryDirectory { directory in
            let nginx = try await NginxServer.start(in: directory)
            try TestFile.write(Array("content".utf8), to: "\(nginx.home)/x")
            try TestFile.setModified("\(nginx.home)/x", to: Self.seconds)
            let rig = try LaneRig(directory, url: nginx.url)
            let job = try rig.download("\(nginx.url)/x") {
                $0.delivery = delivery { $0.keepsModified = true }
                $0.fetch = FetchWishes()
                $0.fetch?.isForNewer = true
            }
            #expect(await rig.run(job).arrival?.size == ByteCount(7))
            #expect(try TestFile.modified(rig.downloaded()) == Self.seconds)
            let again = await rig.run(job)
            #expect(again.arrival?.digest?.hasPrefix("not modified") == true, "\(again)")
            try TestFile.write(Array("changed".utf8), to: "\(nginx.home)/x")
            #expect(await rig.run(job).arrival?.size == ByteCount(7))
            #expect(TestFile.text(rig.downloaded()) == "changed")
            await nginx.stop()
        }
    }

    @Test func `without a note the time of the file here counts`() async throws {
        try await withTemporaryDirectory { directory in
            let server = try ScriptedHTTPServer { Self.answer($0, tag: nil, time: Self.modified) }
            let rig = try LaneRig(directory, url: server.url)
            try TestFile.write([1], to: rig.downloaded())
            try TestFile.setModified(rig.downloaded(), to: Self.seconds)
            let ended = await rig.run(try newer(rig, "\(server.url)/x"))
            #expect(ended.arrival?.digest?.hasPrefix("not modified") == true, "\(ended)")
            #expect(server.requests.first?.header("If-Modified-Since") == Self.modified)
            #expect(try TestFile.read(rig.downloaded()) == [1])
        }
    }

    @Test func `a 304 that nobody asked for brings no file`() async throws {
        try await withTemporaryDirectory { directory in
            let server = try ScriptedHTTPServer { _ in HTTPBehaviour(status: 304) }
            let rig = try LaneRig(directory, url: server.url)
            for job in [try rig.download("\(server.url)/x"), try newer(rig, "\(server.url)/x")] {
                #expect(await rig.run(job).failure?.class == .permanent)
            }
        }
    }
}

/// A number that a scripted server and its test share.
final class ScriptedVersion: Sendable {
    private let value = Atomic(1)

    var number: Int { value.load(ordering: .sequentiallyConsistent) }

    func next() { value.add(1, ordering: .sequentiallyConsistent) }
}
