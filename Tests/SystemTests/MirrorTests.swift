import TestServers
import Testing

extension Whole {
    /// One file at several servers.
    @Suite("Mirrors as sources of parts") struct MirrorTests {
        private static let content = TestContent.pattern(24 << 20)
        private static let tag = "\"same\""

        /// A server of the file that sends so many bytes a second on each connection.
        private func server(
            _ content: TestContent = content, tag: String = tag, rate: Int = 2 << 20
        ) throws -> ScriptedHTTPServer {
            try ScriptedHTTPServer { request in
                var answer = HTTPBehaviour.object(content, for: request, etag: tag)
                answer.bytesPerSecond = rate
                return answer
            }
        }

        private func installation(_ directory: TemporaryDirectory) throws -> Installation {
            try Installation(
                directory, sections: "[origin all]\nmatch = *\nlanes = 2\nsegments = 4\nstall_timeout = 5s")
        }

        private func enqueue(
            _ installation: Installation, _ own: ScriptedHTTPServer, _ mirrors: [ScriptedHTTPServer],
            _ more: [String] = []
        ) async throws -> Int {
            var words = ["enqueue", "download", "\(own.url)/x"]
            for mirror in mirrors { words += ["--mirror", "\(mirror.url)/x"] }
            let result = try await installation.control(words + more)
            #expect(result.succeeded, "\(result.errorText)")
            return try await installation.status("--all").map(\.id).max() ?? 0
        }

        private func expectDone(_ installation: Installation, _ job: Int) async throws {
            try await eventually("the download is done", timeout: .seconds(60)) {
                try await installation.show(job).state == "done"
            }
            let isSame = try TestFile.read("\(installation.downloads)/x") == Self.content.bytes
            #expect(isSame, "the file is another one")
        }

        @Test func `parts come from all of them`() async throws {
            try await withTemporaryDirectory { directory in
                let (own, other) = (try server(), try server())
                let installation = try installation(directory)
                let daemon = try await installation.startDaemon()
                let job = try await enqueue(installation, own, [other])
                try await expectDone(installation, job)
                #expect(own.requests.count >= 2 && other.requests.count >= 2)
                #expect(other.requests.allSatisfy { $0.header("If-Range") == Self.tag })
                try await daemon.sigterm()
            }
        }

        @Test func `a daemon that is killed in the midst goes on with both`() async throws {
            try await withTemporaryDirectory { directory in
                let (own, other) = (try server(rate: 1 << 20), try server(rate: 1 << 20))
                let installation = try installation(directory)
                var daemon = try await installation.startDaemon()
                let sum = Self.content.sha256
                let job = try await enqueue(installation, own, [other], ["--checksum", "sha256:\(sum)"])
                var before = 0
                for _ in 0..<3 {
                    let known = before
                    try await eventually("the mirror brings parts") { other.requests.count > known }
                    await pause(.milliseconds(700))
                    try await daemon.sigkill()
                    before = other.requests.count
                    daemon = try await installation.startDaemon()
                }
                try await expectDone(installation, job)
                try await daemon.sigterm()
            }
        }

        @Test(arguments: ["another tag", "another length"])
        func `one with another file brings no part of it`(difference: String) async throws {
            try await withTemporaryDirectory { directory in
                let own = try server()
                let other = try server(
                    .pattern(difference == "another length" ? 23 << 20 : 24 << 20, seed: 9),
                    tag: difference == "another tag" ? "\"other\"" : Self.tag)
                let installation = try installation(directory)
                let daemon = try await installation.startDaemon()
                let job = try await enqueue(installation, own, [other])
                try await expectDone(installation, job)
                #expect(other.requests.count <= 2)
                #expect(installation.logText.contains("is fetched without"), "\(installation.logTail)")
                try await daemon.sigterm()
            }
        }

        @Test func `what they bring together is proven, and comes from one where it is wrong`() async throws {
            try await withTemporaryDirectory { directory in
                let own = try server()
                let other = try server(.pattern(24 << 20, seed: 9))
                let installation = try installation(directory)
                let daemon = try await installation.startDaemon()
                let sum = Self.content.sha256
                let job = try await enqueue(installation, own, [other], ["--checksum", "sha256:\(sum)"])
                try await eventually("a try that was wrong", timeout: .seconds(60)) {
                    _ = try await installation.control(["retry", "\(job)"])
                    return try await installation.show(job).state == "done"
                }
                try await expectDone(installation, job)
                try await daemon.sigterm()
            }
        }
    }
}
