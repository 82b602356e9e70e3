import Glibc
import TestServers
import Testing

extension Whole {
    /// Forms whose length no longer fits into 32 bits.
    @Suite struct LargeFormTests {
        @Test
        func `a sparse file as a part is posted with its exact length, in memory that does not follow it`()
            async throws
        {
            let size = Scale.pick(quick: 5 << 30, full: 20 << 30)
            try await withTemporaryDirectory { directory in
                let server = try ScriptedHTTPServer { _ in
                    var behaviour = HTTPBehaviour.text("received")
                    behaviour.reads = .counted
                    return behaviour
                }
                // A disk's file system would make pages of all the holes that are read.
                let memory = access("/dev/shm", W_OK) == 0 ? "/dev/shm" : nil
                let sources = try TemporaryDirectory(below: memory)
                let source = sources.appending("large.blob")
                try Sources.makeSparse(source, size: size)
                let installation = try Installation(
                    directory, general: ["source_dirs = \(sources.path)"])
                let daemon = try await installation.startDaemon()
                let job = try await installation.enqueue(
                    "form", server.url, "-F", "a=1", "-F", "up=@\(source);filename=x")
                try await installation.expectDone([job], within: .seconds(600))
                let request = try #require(server.requests.first)
                let boundary = try #require(request.header("Content-Type")?.split(separator: "=").last)
                let around = ReferenceForm([
                    .init("a", "1"),
                    .init("up", .bytes([]), filename: "x", type: "application/octet-stream"),
                ]).body(boundary: String(boundary)).length
                #expect(request.isWhole)
                #expect(request.bodyLength == size + around)
                #expect(request.header("Content-Length") == "\(size + around)")
                Scale.report("a form with \(size) bytes: peak memory \(daemon.peakMemory) KiB")
                // A debug build's programs and shared libraries alone take half of this.
                #expect(daemon.peakMemory <= 96 << 10)
                try await daemon.sigterm()
            }
        }
    }
}
