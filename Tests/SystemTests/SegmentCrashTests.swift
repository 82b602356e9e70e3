import Synchronization
import TestServers
import Testing

extension Whole {
    /// One large download over several connections while everything goes wrong in random order: connections are cut,
    /// the server falls silent, the file is replaced by another version, the daemon is killed.
    @Suite struct SegmentCrashTests {
        private let size = Scale.pick(quick: 24 << 20, full: 500 << 20)
        private let interruptions = Scale.pick(quick: 8, full: 200)
        private let versions = Scale.pick(quick: 2, full: 5)
        /// Of each of four connections, in bytes a second.
        private let rate = Scale.pick(quick: 2_000_000, full: 4_000_000)
        private let lanes = 4

        private enum Event: CaseIterable {
            case cut, silence, version, kill
        }

        private final class Script: Sendable {
            let version = Atomic<Int>(1)
            /// So many answers more end in silence.
            let silent = Atomic<Int>(0)
        }

        @Test func `a download over several connections comes through everything at random`() async throws {
            try await withTemporaryDirectory { directory in
                let script = Script()
                let size = size
                let server = try ScriptedHTTPServer { request in
                    let version = script.version.load(ordering: .relaxed)
                    let content = TestContent.pattern(size, seed: UInt8(version))
                    var answer = HTTPBehaviour.object(content, for: request, etag: "\"v\(version)\"")
                    if script.silent.load(ordering: .relaxed) > 0 {
                        script.silent.subtract(1, ordering: .relaxed)
                        answer.cutAfter = min(answer.body.count, .random(in: 0...1_000_000))
                        answer.ending = .stalls
                    }
                    return answer
                }
                let relay = try ScriptedRelay(to: server.port, bytesPerSecond: rate)
                let installation = try Installation(
                    directory,
                    sections:
                        "[origin all]\nmatch = *\nlanes = \(lanes)\nsegments = \(lanes)\nstall_timeout = 1s")
                let job = try await run(installation, script, relay)
                #expect(
                    TestFile.sha256("\(installation.downloads)/x")
                        == TestContent.pattern(size, seed: UInt8(script.version.load(ordering: .relaxed)))
                        .sha256)
                #expect(try TestFile.names(in: installation.downloads) == [Array("x".utf8)])
                let attempts = try await installation.show(job).attemptsLog?.count ?? 0
                let seen = Set(server.requests.compactMap { $0.header("If-Range") }).count
                let allowed = size * max(1, seen) + interruptions * rate * lanes
                Scale.report(
                    "\(interruptions) interruptions, \(attempts) attempts, \(seen) versions seen, "
                        + "\(relay.bytesBack) bytes fetched of \(size), \(allowed) allowed")
                #expect(relay.bytesBack <= allowed)
            }
        }

        /// Returns when the file is there.
        private func run(
            _ installation: Installation, _ script: Script, _ relay: ScriptedRelay
        ) async throws -> Int {
            var daemon = try await installation.startDaemon()
            let job = try await installation.enqueue("download", "http://127.0.0.1:\(relay.port)/x")
            for number in 0..<interruptions {
                await pause(.milliseconds(Int.random(in: 100...900)))
                switch Event.allCases.randomElement() ?? .cut {
                case .cut: relay.cutConnections()
                case .silence:
                    script.silent.store(lanes, ordering: .relaxed)
                    relay.cutConnections()
                case .version:
                    let isLate = number * versions < interruptions * script.version.load(ordering: .relaxed)
                    if !isLate { script.version.add(1, ordering: .relaxed) }
                    relay.cutConnections()
                case .kill:
                    try await daemon.sigkill()
                    daemon = try await installation.startDaemon()
                }
                _ = try await installation.control(["retry", "\(job)"])
            }
            script.silent.store(0, ordering: .relaxed)
            try await eventually("the download is done", timeout: .seconds(300), every: .milliseconds(200)) {
                _ = try await installation.control(["retry", "\(job)"])
                return try await installation.show(job).state == "done"
            }
            try await daemon.sigterm()
            return job
        }
    }
}
