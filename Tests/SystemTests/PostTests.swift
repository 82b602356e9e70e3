import Glibc
import Synchronization
import TestServers
import Testing

extension Whole {
    /// Each form is received once, or its job says before that nobody knows.
    @Suite struct PostTests {
        /// A web server that remembers when each form's head came, by its key, and which bodies came whole.
        private final class Receiver: Sendable {
            let server: ScriptedHTTPServer
            private let box: Box

            private final class Box: Sendable {
                let heads = Mutex<[String: [Int64]]>([:])
            }

            init(_ answer: @escaping @Sendable (HTTPRequest) -> HTTPBehaviour) throws {
                let box = Box()
                self.box = box
                server = try ScriptedHTTPServer { request in
                    let key = request.header("Idempotency-Key") ?? ""
                    var time = timespec()
                    clock_gettime(CLOCK_REALTIME, &time)
                    let now = Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000
                    box.heads.withLock { $0[key, default: []].append(now) }
                    return answer(request)
                }
            }

            /// Every key of which a whole body came.
            var received: Set<String> {
                Set(server.requests.filter(\.isWhole).compactMap { $0.header("Idempotency-Key") })
            }

            /// The times of the requests of each key, in milliseconds since 1970.
            var times: [String: [Int64]] { box.heads.withLock { $0 } }
        }

        private func query(_ installation: Installation, _ sql: String) async throws -> [[String]] {
            let done = try await ChildProcess.run(["sqlite3", "-readonly", installation.database, sql])
            guard done.succeeded else { throw TestServerError("sqlite3: \(done.errorText)") }
            return done.text.split(separator: "\n").map { $0.split(separator: "|").map(String.init) }
        }

        private func count(_ installation: Installation, _ condition: String) async throws -> Int {
            try await query(installation, "SELECT count(*) FROM jobs WHERE \(condition)").first
                .flatMap { Int($0[0]) } ?? 0
        }

        /// Before a body went out again its job had said that nobody knows what became of the one before.
        private func expectSaidBefore(_ installation: Installation, _ receiver: Receiver) async throws -> Int
        {
            let rows = try await query(
                installation,
                "SELECT idempotency_key, ended_at FROM attempts JOIN jobs ON jobs.id = attempts.job "
                    + "WHERE attempts.failure_class = 'unknown' ORDER BY ended_at")
            var said: [String: [Int64]] = [:]
            for row in rows { said[row[0], default: []].append(Int64(row[1]) ?? .max) }
            let whole = Dictionary(
                grouping: receiver.server.requests.filter(\.isWhole),
                by: { $0.header("Idempotency-Key") ?? "" })
            var repeated = 0
            for (key, times) in receiver.times where whole[key, default: []].count > 1 {
                repeated += 1
                let words = said[key, default: []]
                #expect(words.count >= whole[key, default: []].count - 1, "\(key)")
                // The last of them cannot have gone out before the last word.
                if let last = times.last, let word = words.first { #expect(word <= last, "\(key)") }
            }
            return repeated
        }

        private func drop(_ count: Int, into directory: String) throws {
            for number in 0..<count {
                try Sources.drop(
                    Sources.content(number, size: 600), named: Array("form-\(number)".utf8), into: directory)
            }
        }

        private func route(_ receiver: Receiver, _ more: String) -> String {
            """
            [route forms]
            kind = form
            url = \(receiver.server.url)/in
            settle = 0
            \(more)
            """
        }

        @Test
        func `of posts of which every tenth is reset none is received twice before its job says unknown`()
            async throws
        {
            try await withTemporaryDirectory { directory in
                let posts = Scale.pick(quick: 120, full: 2_000)
                let receiver = try Receiver { $0.index % 10 == 9 ? .resetAfterBody : .text("thanks") }
                let installation = try Installation(
                    directory,
                    sections: route(receiver, Scale.pick(quick: "", full: "unknown_outcome = retry")))
                let daemon = try await installation.startDaemon()
                try drop(posts, into: installation.spool("forms"))
                // In the quick one a person asks for the repetition, which does not wait.
                try await eventually(
                    "all forms\(installation.logTail)",
                    timeout: Scale.pick(quick: .seconds(60), full: .seconds(600)),
                    every: .milliseconds(200)
                ) {
                    let held = try await query(installation, "SELECT id FROM jobs WHERE state = 'held'").map {
                        $0[0]
                    }
                    if !held.isEmpty { _ = try await installation.control(["retry"] + held) }
                    return try await count(installation, "state = 'done'") == posts
                }
                #expect(receiver.received.count == posts)
                let repeated = try await expectSaidBefore(installation, receiver)
                #expect(repeated > posts / 20)
                #expect(installation.logText.contains("outcome unknown"))
                Scale.report(
                    "\(posts) posts, every tenth reset: \(repeated) were received again after 'outcome unknown'"
                )
                try await daemon.sigterm()
            }
        }

        @Test func `a daemon that is killed again and again delivers each key`() async throws {
            try await withTemporaryDirectory { directory in
                let posts = Scale.pick(quick: 100, full: 500)
                let kills = Scale.pick(quick: 8, full: 50)
                let receiver = try Receiver { _ in
                    var answer = HTTPBehaviour.text("thanks")
                    answer.delay = .milliseconds(30)
                    return answer
                }
                let installation = try Installation(
                    directory, sections: route(receiver, "idempotency_header = Idempotency-Key"))
                try directory.makeDirectory("state/spool/forms")
                var daemon = try await installation.startDaemon()
                try drop(posts, into: installation.spool("forms"))
                for _ in 0..<kills {
                    await pause(.milliseconds(Int64.random(in: 20...200)))
                    try await daemon.sigkill()
                    daemon = try await installation.startDaemon()
                }
                try await eventually(
                    "all forms\(installation.logTail)", timeout: .seconds(120), every: .milliseconds(100)
                ) { try await count(installation, "state = 'done'") == posts }
                #expect(receiver.received.count == posts)
                let all = try await query(installation, "SELECT count(DISTINCT idempotency_key) FROM jobs")
                #expect(all == [["\(posts)"]])
                let repeated = try await expectSaidBefore(installation, receiver)
                Scale.report(
                    "\(kills) kills during \(posts) posts: \(posts) keys, \(repeated) received again")
                try await daemon.sigterm()
            }
        }

        @Test func `the answer is printed as it came and lies whole in the route's file`() async throws {
            try await withTemporaryDirectory { directory in
                let body = [UInt8](repeating: 0xff, count: 70_000) + [0, 0x1b, 0x0a]
                let server = try ScriptedHTTPServer { _ in
                    HTTPBehaviour(status: 201, headers: [HTTPHeader("X-One", "1")], body: .bytes(body))
                }
                let installation = try Installation(
                    directory, sections: "[origin o]\nmatch = *\nreply_file = {id}.bin")
                let daemon = try await installation.startDaemon()
                let job = try await installation.enqueue(
                    "form", server.url, "-F", "a=b", "--option", "success=201")
                try await installation.expectDone([job])
                #expect(
                    try await installation.control(["show", "--reply", "\(job)"]).output
                        == Array(body.prefix(65_536)))
                let whole = try await installation.control(["show", "--reply", "-i", "\(job)"])
                #expect(whole.output.starts(with: Array("HTTP/1.1 201 Scripted\r\nX-One: 1\r\n".utf8)))
                #expect(whole.output.suffix(4) == [0xff, 0xff, 0xff, 0xff])
                #expect(try TestFile.read("\(installation.state)/replies/\(job).bin") == body)
                try await daemon.sigterm()
            }
        }

        @Test func `a job without an answer says so, and a sent one shows what was unknown`() async throws {
            try await withTemporaryDirectory { directory in
                let server = try ScriptedHTTPServer { $0.index == 0 ? .resetAfterBody : .text("thanks") }
                let installation = try Installation(directory)
                let daemon = try await installation.startDaemon()
                let job = try await installation.enqueue("form", server.url, "-F", "a=b")
                #expect(try await installation.wait([job]) == .exited(5))
                #expect(try await installation.show(job).state == "held")
                let none = try await installation.control(["show", "--reply", "\(job)"])
                #expect(
                    none.status == .exited(2) && none.errorText.contains("no answer"), "\(none.errorText)")
                #expect(try await installation.control(["retry", "\(job)"]).succeeded)
                try await installation.expectDone([job])
                let shown = try await installation.control(["show", "\(job)"]).text
                #expect(shown.contains("outcome unknown, sent again: "), "\(shown)")
                #expect(server.requests.map { $0.header("Idempotency-Key") }.allSatisfy { $0 != nil })
                #expect(Set(server.requests.map { $0.header("Idempotency-Key") }).count == 1)
                try await daemon.sigterm()
            }
        }
    }
}
