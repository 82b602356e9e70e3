import Glibc
import TestServers
import Testing

extension Whole {
    /// Downloads onto a file system of 64 MiB that fills up and is freed.
    @Suite struct FullDiskTests {
        private static let content = TestContent.pattern(18 << 20)

        @Test func `downloads that find no room go on by themselves when there is some`() async throws {
            try await withTemporaryDirectory { directory in
                let server = try ScriptedHTTPServer { request in
                    var answer = HTTPBehaviour.object(Self.content, for: request, etag: "\"v1\"")
                    // Nobody knows before how much room it will take.
                    if request.target == "/unknown" { answer.announces = .chunked }
                    return answer
                }
                let installation = try Installation(directory, sections: "[origin all]\nmatch = *")
                let mounted = installation.downloads
                try directory.makeDirectory("state/downloads")
                guard let launcher = try await SmallDisk.launcher(at: mounted, size: "64m") else {
                    return Scale.report("full disk: not tried, a tmpfs cannot be mounted")
                }
                let daemon = try await installation.startDaemon(launcher: launcher)
                let place = SmallDisk.path(of: mounted, in: daemon.pid)
                let filler = "\(place)/filler"
                try TestFile.write(TestContent.pattern(52 << 20), to: filler)
                let names = ["whole", "parts", "unknown"]
                var jobs: [Int] = []
                for name in names {
                    let segments = name == "parts" ? "4" : "off"
                    jobs.append(
                        try await installation.enqueue(
                            "download", "\(server.url)/\(name)", "--segments", segments))
                }
                for job in jobs {
                    try await eventually("job \(job) finds no room") {
                        try await installation.show(job).error?.code == Int(ENOSPC)
                    }
                }
                #expect(unlink(filler) == 0)
                try await eventually("all are done", timeout: .seconds(40)) {
                    for job in jobs where try await installation.show(job).state != "done" { return false }
                    return true
                }
                for name in names { #expect(TestFile.sha256("\(place)/\(name)") == Self.content.sha256) }
                #expect(Set(try TestFile.names(in: place)) == Set(names.map { Array($0.utf8) }))
                try await daemon.sigterm()
            }
        }
    }
}
