import Glibc
import Synchronization
import TestServers
import Testing

extension Whole {
    /// SIGKILL at a chosen stage of a transfer: nothing is lost, and nothing is done twice where that can be known.
    @Suite struct StageCrashTests {
        /// A daemon that a server's script kills at one of its commands.
        private final class Victim: Sendable {
            private let pid = Mutex<Int32?>(nil)

            func set(_ new: Int32?) { pid.withLock { $0 = new } }

            /// Kills the daemon when it is armed; true when it was.
            func kill() -> Bool {
                pid.withLock { pid in
                    guard let number = pid else { return false }
                    pid = nil
                    return Glibc.kill(number, SIGKILL) == 0
                }
            }
        }

        /// A command at which the daemon is killed, and whether the server still carries it out.
        struct Stage: Sendable, CustomTestStringConvertible {
            let verb: String
            let isCarriedOut: Bool
            var testDescription: String { "\(verb) \(isCarriedOut ? "carried out" : "lost")" }
        }

        static let stages = ["USER", "EPSV", "STOR", "SIZE", "RNFR", "RNTO"].flatMap { verb in
            [true, false].map { Stage(verb: verb, isCarriedOut: $0) }
        }

        @Test(arguments: stages)
        func `an upload killed at a command is there once after the next start`(stage: Stage) async throws {
            try await withTemporaryDirectory { directory in
                let victim = Victim()
                let server = try ScriptedFTPServer { command in
                    guard command.verb == stage.verb, victim.kill() else { return .right }
                    return stage.isCarriedOut ? .closesConnection : Self.lost
                }
                server.files.makeDirectory(Array("/in".utf8))
                let installation = try Installation(
                    directory,
                    sections: """
                        [route out]
                        kind = upload
                        url = \(server.url)/in/
                        settle = 0
                        """)
                var daemon = try await installation.startDaemon()
                victim.set(daemon.pid)
                let content = Sources.content(1, size: 400_000)
                try Sources.drop(content, named: Array("file".utf8), into: installation.spool("out"))
                let end = try await daemon.child.exitStatus(within: .seconds(20))
                #expect(end == .killed(signal: SIGKILL))
                let before = server.lines.count
                daemon = try await installation.startDaemon()
                try await eventually("an empty spool\(installation.logTail)", timeout: .seconds(30)) {
                    try installation.waiting(in: "out").isEmpty
                }
                #expect(server.files["/in/file"] == content)
                #expect(server.files.names == ["/in/file"], "no temporary file is left")
                let lines = try await installation.status("--all")
                #expect(lines.map(\.state) == ["done"])
                if stage.verb == "RNTO" && stage.isCarriedOut {
                    let after = server.lines.dropFirst(before)
                    #expect(!after.contains { $0.hasPrefix("STOR") || $0.hasPrefix("APPE") }, "sent once")
                }
                try await daemon.sigterm()
            }
        }

        /// Nothing is done and the connection ends.
        private static var lost: FTPBehaviour {
            var behaviour = FTPBehaviour.replies("421 Too late.")
            behaviour.closes = true
            return behaviour
        }

        @Test(arguments: ["retry", "hold"])
        func `a form killed after its whole body is what its policy says`(policy: String) async throws {
            try await withTemporaryDirectory { directory in
                let server = try ScriptedHTTPServer { request in
                    var behaviour = HTTPBehaviour.text("received")
                    if request.index == 0 { behaviour.delay = .seconds(5) }
                    return behaviour
                }
                let installation = try Installation(directory)
                var daemon = try await installation.startDaemon()
                let job = try await installation.enqueue("form", server.url, "-F", "a=b", "--unknown", policy)
                try await eventually("the form\(installation.logTail)", every: .milliseconds(1)) {
                    server.requests.count == 1
                }
                try await daemon.sigkill()
                daemon = try await installation.startDaemon()
                if policy == "retry" {
                    try await installation.expectDone([job])
                    let keys = server.requests.map { $0.header("Idempotency-Key") }
                    #expect(keys.count == 2 && keys[0] != nil && keys[0] == keys[1])
                } else {
                    #expect(try await installation.wait([job], within: .seconds(5)) == .exited(5))
                    #expect(try await installation.show(job).state == "held")
                    let release = try await installation.control(["release", "\(job)"])
                    #expect(!release.succeeded, "a bulk release does not lift an unknown outcome")
                    #expect(try await installation.control(["retry", "\(job)"]).succeeded)
                    try await installation.expectDone([job])
                }
                try await daemon.sigterm()
            }
        }

        @Test func `a form killed in the middle of its body is sent again`() async throws {
            try await withTemporaryDirectory { directory in
                let server = try ScriptedHTTPServer { _ in .text("received") }
                let relay = try ScriptedRelay(to: server.port, bytesPerSecond: 5_000_000)
                let installation = try Installation(directory)
                let file = directory.appending("file")
                let content = TestContent.pattern(8_000_000, seed: 4)
                try TestFile.write(content, to: file)
                var daemon = try await installation.startDaemon()
                let job = try await installation.enqueue(
                    "form", "http://127.0.0.1:\(relay.port)/", "-F", "f=@\(file)", "--unknown", "hold")
                try await eventually("some bytes\(installation.logTail)") { relay.bytesForth > 1_000_000 }
                try await daemon.sigkill()
                daemon = try await installation.startDaemon()
                try await installation.expectDone([job])
                #expect(server.requests.filter(\.isWhole).count == 1)
                try await daemon.sigterm()
            }
        }

        @Test func `a download killed at any moment is whole after the next start`() async throws {
            try await withTemporaryDirectory { directory in
                let content = TestContent.pattern(3_000_000, seed: 8)
                let server = try ScriptedHTTPServer { request in
                    var behaviour = HTTPBehaviour.object(content, for: request, etag: "\"v1\"")
                    behaviour.bytesPerSecond = 6_000_000
                    return behaviour
                }
                let installation = try Installation(directory)
                var daemon = try await installation.startDaemon()
                for number in 0..<Scale.pick(quick: 4, full: 20) {
                    let job = try await installation.enqueue("download", "\(server.url)/f\(number)")
                    await pause(.milliseconds(Int.random(in: 0...600)))
                    try await daemon.sigkill()
                    daemon = try await installation.startDaemon()
                    try await installation.expectDone([job])
                    #expect(TestFile.sha256("\(installation.downloads)/f\(number)") == content.sha256)
                }
                let left = try TestFile.names(in: installation.downloads).filter {
                    $0.first != UInt8(ascii: "f")
                }
                #expect(left.isEmpty)
                try await daemon.sigterm()
            }
        }
    }
}
