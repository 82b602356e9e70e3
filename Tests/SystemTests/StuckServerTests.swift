import Synchronization
import TestServers
import Testing

extension Whole {
    /// A server that does not answer holds up nobody else.
    @Suite struct StuckServerTests {
        @Test func `a late 226 and one that never comes leave no gap at a third server`() async throws {
            try await withTemporaryDirectory { directory in
                let delay = Scale.pick(quick: Duration.seconds(5), full: .seconds(30))
                let late = try ScriptedFTPServer { $0.verb == "STOR" ? .late(by: delay) : .right }
                let silent = try ScriptedFTPServer { $0.verb == "STOR" ? .silent : .right }
                let stores = Mutex<[ContinuousClock.Instant]>([])
                let third = try ScriptedFTPServer { command in
                    if command.verb == "STOR" { stores.withLock { $0.append(.now) } }
                    return .right
                }
                let installation = try Installation(
                    directory,
                    sections: """
                        [route third]
                        kind = upload
                        url = \(third.url)/
                        settle = 0
                        """)
                let daemon = try await installation.startDaemon()
                let file = try directory.write(Sources.content(1), to: "file")
                var delayed: [Int] = []
                for number in 0..<4 {
                    delayed.append(try await installation.enqueue("upload", file, "\(late.url)/f\(number)"))
                }
                let stuck = try await installation.enqueue("upload", file, "\(silent.url)/g")
                try await eventually("STOR at both\(installation.logTail)") {
                    late.lines.contains { $0.hasPrefix("STOR") }
                        && silent.lines.contains { $0.hasPrefix("STOR") }
                }
                let start = ContinuousClock.now
                var number = 0
                while ContinuousClock.now - start < delay {
                    try Sources.drop(
                        Sources.content(number), named: Array("t\(number)".utf8),
                        into: installation.spool("third"))
                    number += 1
                    await pause(.milliseconds(20))
                }
                try await eventually("\(number) files at the third\(installation.logTail)") {
                    stores.withLock { $0.count } >= number
                }
                let gap = longestGap(stores.withLock { $0 }, from: start)
                try await expectQuickCancel(of: stuck, installation)
                Scale.report("longest gap at the third server: \(gap.inMilliseconds) over \(number) files")
                #expect(gap < .seconds(1))
                try await installation.expectDone(delayed, within: delay + .seconds(60))
                #expect(late.files["/f0"] == Sources.content(1))
                try await daemon.sigterm()
            }
        }

        private func expectQuickCancel(of stuck: Int, _ installation: Installation) async throws {
            let asked = ContinuousClock.now
            let answer = try await installation.control(["cancel", "\(stuck)"])
            #expect(answer.succeeded, "\(answer.errorText)")
            try await eventually("the cancelled job\(installation.logTail)", every: .milliseconds(5)) {
                try await installation.show(stuck).state == "cancelled"
            }
            let time = ContinuousClock.now - asked
            Scale.report("cancel of a job whose 226 never comes: \(time.inMilliseconds)")
            #expect(time < .seconds(1))
        }

        private func longestGap(
            _ times: [ContinuousClock.Instant], from start: ContinuousClock.Instant
        ) -> Duration {
            let points = [start] + times.filter { $0 > start }
            return zip(points, points.dropFirst()).map { $1 - $0 }.max() ?? .zero
        }
    }
}
