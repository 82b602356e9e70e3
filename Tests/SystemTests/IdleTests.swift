import Glibc
import TestServers
import Testing

extension Whole {
    /// A daemon with nothing to do does nothing.
    @Suite struct IdleTests {
        private let length = Scale.pick(quick: Duration.seconds(13), full: .seconds(60))

        @Test func `an idle daemon makes the watchdog's and the rescan's system calls alone`() async throws {
            try await withTemporaryDirectory { directory in
                let server = try await VsftpdServer.start(in: directory)
                let installation = try Installation(
                    directory, general: Scale.pick(quick: ["idle_timeout = 1s", "rescan = 6s"], full: []),
                    sections: """
                        [route out]
                        kind = upload
                        url = \(server.url)/in/
                        settle = 0
                        """)
                let watchdog = Scale.pick(quick: Duration.seconds(8), full: .seconds(30))
                let daemon = try await installation.startDaemon(watchdog: watchdog)
                let file = try directory.write("form me", to: "file")
                let web = try await NginxServer.start(in: directory)
                try TestFile.write([1, 2, 3], to: "\(web.home)/down")
                let sink = try ScriptedHTTPServer { _ in .text("received") }
                let jobs = [
                    try await installation.enqueue("download", "\(web.url)/down"),
                    try await installation.enqueue("form", sink.url, "-F", "f=@\(file)"),
                ]
                for number in 0..<8 {
                    try Sources.drop([1], named: Array("f\(number)".utf8), into: installation.spool("out"))
                }
                try await installation.expectDone(jobs)
                try await eventually("an empty spool") { try installation.waiting(in: "out").isEmpty }
                await pause(Scale.pick(quick: .seconds(9), full: .seconds(60)))
                let start = ContinuousClock.now
                let bursts = try await trace(daemon, in: directory)
                let beats = installation.notify.messages.count { $0.time > start && $0.text == "WATCHDOG=1" }
                Scale.report(
                    "idle for \(length): \(bursts.count) bursts, \(bursts.reduce(0) { $0 + $1.count }) system calls, "
                        + "\(beats) beats of the watchdog; \(summary(bursts))")
                #expect(beats >= 1)
                // sd_notify(3), a directory that is read, or the end of the thread that Dispatch had for it.
                let unexplained = bursts.filter {
                    Set($0).isDisjoint(with: ["sendmsg", "getdents64", "exit"])
                }
                #expect(unexplained.isEmpty)
                #expect(bursts.allSatisfy { $0.count <= 120 })
                try await daemon.sigterm()
            }
        }

        /// The names of the system calls, in bursts with at least 300 ms between them.
        private func trace(_ daemon: DaemonProcess, in directory: TemporaryDirectory) async throws
            -> [[String]]
        {
            let output = directory.appending("strace")
            let tracer = try ChildProcess.spawn(["strace", "-f", "-ttt", "-o", output, "-p", "\(daemon.pid)"])
            await pause(.milliseconds(500))
            try #require(tracer.isRunning, "strace cannot attach here")
            let begin = TestFile.text(output).split(separator: "\n").count
            await pause(length)
            tracer.signal(SIGINT)
            try await tracer.exitStatus(within: .seconds(10))
            var bursts: [[String]] = []
            var last = 0.0
            for line in TestFile.text(output).split(separator: "\n").dropFirst(begin) {
                let words = line.split(separator: " ", maxSplits: 2)
                guard words.count == 3, let time = Double(words[1]) else { continue }
                guard let name = callName(words[2]) else { continue }
                if time - last > 0.3 { bursts.append([]) }
                last = time
                bursts[bursts.count - 1].append(name)
            }
            return bursts
        }

        /// nil for a call that only goes on, or is cut by the end of the tracing.
        private func callName(_ text: Substring) -> String? {
            guard !text.hasPrefix("<..."), !text.hasSuffix("<detached ...>") else { return nil }
            return text.hasPrefix("+++") ? "exit" : String(text.prefix { $0 != "(" })
        }

        private func summary(_ bursts: [[String]]) -> String {
            let counts = Dictionary(grouping: bursts.flatMap { $0 }, by: { $0 }).mapValues(\.count)
            return counts.sorted { $0.value > $1.value }.map { "\($0.key) \($0.value)" }.joined(
                separator: ", ")
        }
    }
}
