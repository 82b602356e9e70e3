import Glibc
import TestServers
import Testing
import TransferModel

@testable import TransferEngine

/// Files that wait in memory until all of them is there.
@Suite struct SmallDownloads {
    /// A disk, and memory, where the lane does everything itself.
    private func eachPlace(_ body: (TemporaryDirectory) async throws -> Void) async throws {
        try await withTemporaryDirectory(body)
        guard access("/dev/shm", W_OK) == 0 else { return }
        let memory = try TemporaryDirectory(below: "/dev/shm")
        defer { withExtendedLifetime(memory) {} }
        try await body(memory)
    }

    @Test func `each arrives byte for byte, and nothing else is left`() async throws {
        try await eachPlace { directory in
            let sizes = [4_096, 0, 1, 65_536, 65_537]
            let server = try ScriptedHTTPServer { request in
                let size = Int(request.target.dropFirst()) ?? 0
                return .object(.pattern(size, seed: 3), for: request, etag: "\"v\(size)\"")
            }
            let rig = try LaneRig(directory, url: server.url)
            for size in sizes {
                let sum = Checksum("sha256:\(TestContent.pattern(size, seed: 3).sha256)")
                let ended = await rig.run(
                    try rig.download("\(server.url)/\(size)", to: "sub/\(size)", checksum: sum))
                #expect(ended.hasArrived, "\(ended)")
                #expect(ended.stage == .renaming)
                #expect(ended.checkpoint.validator?.entityTag == "\"v\(size)\"")
                let content = TestContent.pattern(size, seed: 3).bytes
                #expect(try TestFile.read(rig.downloaded("sub/\(size)")) == content)
            }
            #expect(try rig.downloads() == ["sub"])
            #expect(server.requests.count == sizes.count)
        }
    }

    @Test func `no name is given before its stage is durable`() async throws {
        try await eachPlace { directory in
            let server = try ScriptedHTTPServer { .object(.pattern(500), for: $0) }
            let rig = try LaneRig(directory, url: server.url, isDurable: false)
            let job = try rig.download("\(server.url)/x")
            rig.start(job)
            try await eventually("the stage") { rig.stages == [.renaming] }
            #expect(try rig.downloads() == [".target.7.part"])
            rig.lane.interrupt(job.id)
            let ended = await rig.end(of: job)
            #expect(ended.outcome == .interrupted)
            rig.setDurable(true)
            #expect(await rig.run(rig.next(job, after: ended)).hasArrived)
            #expect(try TestFile.read(rig.downloaded()) == TestContent.pattern(500).bytes)
            #expect(server.requests.count == 1)
        }
    }

    @Test func `what a cut leaves of one is gone on with`() async throws {
        try await eachPlace { directory in
            let server = try ScriptedHTTPServer { request in
                var answer = HTTPBehaviour.object(.pattern(50_000), for: request, etag: "\"v\"")
                if request.index == 0 {
                    answer.cutAfter = 20_000
                    answer.ending = .closes
                }
                return answer
            }
            let rig = try LaneRig(directory, url: server.url)
            let job = try rig.download("\(server.url)/x")
            let progress = Progress()
            let ended = await rig.run(job, progress: progress)
            #expect(ended.failure?.class == .temporary, "\(ended)")
            #expect(progress.offset == ByteCount(20_000))
            var next = rig.next(job, after: ended)
            next.offset = progress.offset
            #expect(await rig.run(next).hasArrived)
            #expect(server.requests.last?.header("Range") == "bytes=20000-")
            #expect(try TestFile.read(rig.downloaded()) == TestContent.pattern(50_000).bytes)
        }
    }

    @Test func `one that is not what it has to be leaves nothing`() async throws {
        try await eachPlace { directory in
            let server = try ScriptedHTTPServer { .object(.pattern(500), for: $0) }
            let rig = try LaneRig(directory, url: server.url)
            let wrong = Checksum("sha256:\(TestContent.pattern(501).sha256)")
            let ended = await rig.run(try rig.download("\(server.url)/x", checksum: wrong))
            #expect(ended.failure?.class == .permanent, "\(ended)")
            #expect(try rig.downloads().isEmpty)
        }
    }
}
