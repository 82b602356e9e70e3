import Glibc
import Synchronization
import TestServers
import Testing
import TransferModel

@testable import TransferEngine

@Suite struct FormPosts {
    private func file(_ source: SourceFile, type: String? = nil) -> FormPart {
        FormPart(name: "file", content: .file(source, type: type, filename: nil))
    }

    private let text = [FormPart(name: "a", content: .text("1"))]

    @Test func `PHP sees repeated names as an array and a large file byte for byte`() async throws {
        try await withTemporaryDirectory { directory in
            let php = try await PHPServer.start(in: directory)
            let rig = try LaneRig(directory, url: php.url)
            let source = try rig.randomSource(megabytes: 100)
            let parts = [
                FormPart(name: "f[]", content: .text("a")), FormPart(name: "f[]", content: .text("b")),
                file(source),
            ]
            let ended = await rig.run(try rig.form("\(php.url)/form", parts))
            #expect(ended.hasArrived, "\(ended)")
            let request = try #require(php.requests().first)
            #expect(request.method == "POST")
            #expect(request.fields == [.init(name: "f[0]", value: "a"), .init(name: "f[1]", value: "b")])
            #expect(request.files.first?.sha256 == TestFile.sha256(directory.appending("spool/random")))
            #expect(request.files.first?.type == "application/octet-stream")
            #expect(request.headers["idempotency-key"] == "k3y-1")
            #expect(request.headers["expect"] == nil)
            let reply = try #require(ended.arrival?.reply)
            #expect(reply.status == 200)
            #expect(!reply.body.isEmpty)
            await php.stop()
        }
    }

    @Test func `values and names that look like something else are data`() async throws {
        try await withTemporaryDirectory { directory in
            let php = try await PHPServer.start(in: directory)
            let rig = try LaneRig(directory, url: php.url)
            let values = ["@/etc/passwd", "<x", "a;type=b", " (x ", "two\r\nlines", "é", ""]
            let parts = values.enumerated().map {
                FormPart(name: "v\($0.offset)", content: .text($0.element))
            }
            let ended = await rig.run(try rig.form("\(php.url)/", parts))
            #expect(ended.hasArrived)
            #expect(try php.requests().first?.fields.map(\.value) == values)
            await php.stop()
        }
    }

    @Test func `an empty file and an empty form arrive`() async throws {
        try await withTemporaryDirectory { directory in
            let php = try await PHPServer.start(in: directory)
            let rig = try LaneRig(directory, url: php.url)
            let ended = await rig.run(try rig.form("\(php.url)/", [file(try rig.source(.bytes([])))]))
            #expect(ended.hasArrived)
            #expect(try php.requests().first?.files.first?.size == 0)
            #expect(await rig.run(try rig.form("\(php.url)/", [], id: 2)).hasArrived)
            await php.stop()
        }
    }

    @Test func `the last bytes leave only when the seal is durable`() async throws {
        try await withTemporaryDirectory { directory in
            let server = try ScriptedHTTPServer { _ in .text("thanks") }
            let rig = try LaneRig(directory, url: server.url, isDurable: false)
            let job = try rig.form(server.url, [file(try rig.source(.pattern(300_000)))])
            let progress = Progress()
            rig.start(job, progress: progress)
            try await eventually("the seal", timeout: .seconds(60)) { rig.stages == [.sealed] }
            let limit = try #require(progress.limit)
            #expect(progress.offset < limit)
            #expect(server.requests.isEmpty)
            rig.lane.cancel(job.id)
            #expect(await rig.end(of: job).outcome == .cancelled)
            try await eventually("the server's end") { server.requests.count == 1 }
            let request = try #require(server.requests.first)
            #expect(!request.isWhole)
            #expect(Int64(request.bodyLength) < limit.rawValue)
        }
    }

    @Test func `a post that is stopped after the seal has an outcome that nobody knows`() async throws {
        try await withTemporaryDirectory { directory in
            let server = try ScriptedHTTPServer { _ in .silent }
            let rig = try LaneRig(directory, url: server.url)
            let job = try rig.form(server.url, text)
            rig.start(job)
            try await eventually("the whole body") { server.requests.first?.isWhole == true }
            rig.lane.interrupt(job.id)
            let ended = await rig.end(of: job)
            #expect(ended.failure?.class == .unknownOutcome)
            #expect(ended.stage == .sealed)
        }
    }

    @Test func `a reset after the whole body is unknown and nothing is repeated`() async throws {
        try await withTemporaryDirectory { directory in
            let server = try ScriptedHTTPServer { $0.index == 0 ? .text("fine") : .resetAfterBody }
            let rig = try LaneRig(directory, url: server.url)
            #expect(await rig.run(try rig.form(server.url, text)).hasArrived)
            let ended = await rig.run(try rig.form(server.url, text, id: 2))
            #expect(ended.failure?.class == .unknownOutcome, "\(ended)")
            #expect(ended.stage == .sealed)
            #expect(server.requests.count == 2)
        }
    }

    @Test func `an answer in the midst of the body counts although the connection is reset after it`()
        async throws
    {
        try await withTemporaryDirectory { directory in
            let server = try ScriptedHTTPServer { _ in
                var behaviour = HTTPBehaviour.text("too large for us", status: 413)
                behaviour.reads = .first(200_000)
                behaviour.ending = .resets
                return behaviour
            }
            let rig = try LaneRig(directory, url: server.url)
            let parts = [file(try rig.source(.pattern(8_000_000)))]
            for number in 1...10 {
                let ended = await rig.run(try rig.form(server.url, parts, id: Int64(number)))
                #expect(ended.failure?.class == .permanent, "\(ended)")
                #expect(ended.failure?.text.contains("413") == true, "\(ended)")
            }
        }
    }

    @Test(arguments: [200, 400]) func `a password that the server repeats is kept nowhere`(status: Int)
        async throws
    {
        try await withTemporaryDirectory { directory in
            let server = try ScriptedHTTPServer { request in
                .text("\(request.header("Authorization") ?? "") is me:opensesame", status: status)
            }
            let login = CredentialsTable.Login.credentials(Credentials(user: "me", password: "opensesame"))
            let rig = try LaneRig(directory, url: server.url, login: login)
            let ended = await rig.run(try rig.form(server.url, text))
            let reply = try #require(ended.arrival?.reply ?? ended.failure?.reply)
            #expect(String(decoding: reply.body, as: UTF8.self) == "Basic … is me:…")
            #expect(ended.failure?.text.contains("opensesame") != true)
        }
    }

    @Test func `a kept connection that is closed instead of an answer is said so`() async throws {
        try await withTemporaryDirectory { directory in
            var closes = HTTPBehaviour()
            closes.answers = false
            closes.ending = .closes
            let server = try ScriptedHTTPServer { [closes] in $0.index == 0 ? .text("fine") : closes }
            let rig = try LaneRig(directory, url: server.url)
            #expect(await rig.run(try rig.form(server.url, text)).hasArrived)
            let failure = try #require(await rig.run(try rig.form(server.url, text, id: 2)).failure)
            #expect(failure.class == .unknownOutcome)
            #expect(failure.text.hasSuffix(": the server closed the connection"), "\(failure)")
            #expect(server.requests.count == 2)
        }
    }

    @Test(arguments: [301, 302, 303])
    func `a moved form is never asked for instead`(status: Int) async throws {
        try await withTemporaryDirectory { directory in
            let server = try ScriptedHTTPServer { request in
                request.target == "/"
                    ? .text("", status: status, headers: [HTTPHeader("Location", "/new")])
                    : .text("wrong")
            }
            let rig = try LaneRig(directory, url: server.url)
            let ended = await rig.run(try rig.form("\(server.url)/", text))
            let failure = try #require(ended.failure)
            #expect(failure.class == .permanent)
            #expect(failure.text.contains("/new"))
            #expect(ended.stage == .sending)
            #expect(server.requests.map(\.method) == ["POST"])
        }
    }

    @Test(arguments: [307, 308])
    func `the body is repeated at the same server and counted from its start`(status: Int) async throws {
        try await withTemporaryDirectory { directory in
            let server = try ScriptedHTTPServer { request in
                request.target == "/"
                    ? .text("", status: status, headers: [HTTPHeader("Location", "/new")])
                    : .text("right")
            }
            let rig = try LaneRig(directory, url: server.url)
            let ended = await rig.run(
                try rig.form("\(server.url)/", [file(try rig.source(.pattern(400_000)))]))
            #expect(ended.arrival?.reply?.body == Array("right".utf8))
            #expect(server.requests.map(\.method) == ["POST", "POST"])
            #expect(server.requests.allSatisfy { $0.isWhole && $0.header("Idempotency-Key") == "k3y-1" })
        }
    }

    @Test func `a circle and another server are left`() async throws {
        try await withTemporaryDirectory { directory in
            let server = try ScriptedHTTPServer { request in
                let place = request.target == "/circle" ? "/circle" : "http://127.0.0.2:9/"
                return .text("", status: 307, headers: [HTTPHeader("Location", place)])
            }
            let rig = try LaneRig(directory, url: server.url)
            #expect(await rig.run(try rig.form("\(server.url)/circle", text)).failure?.class == .permanent)
            #expect(server.requests.count == 6)
            #expect(await rig.run(try rig.form("\(server.url)/", text, id: 2)).failure?.class == .permanent)
            #expect(server.requests.count == 7)
        }
    }

    @Test(arguments: [(413, Failure.Class.permanent), (200, .temporary)])
    func `an answer before the whole body is not success`(status: Int, class: Failure.Class) async throws {
        try await withTemporaryDirectory { directory in
            let server = try ScriptedHTTPServer { _ in
                var answer = HTTPBehaviour.text("the words", status: status)
                answer.reads = .first(65_536)
                answer.ending = .closes
                return answer
            }
            let rig = try LaneRig(directory, url: server.url)
            let ended = await rig.run(try rig.form(server.url, [file(try rig.randomSource(megabytes: 8))]))
            #expect(ended.failure?.class == `class`, "\(ended)")
            if status == 413 {
                #expect(ended.failure?.text.contains("the words") == true)
                #expect(ended.failure?.reply?.body == Array("the words".utf8))
            }
        }
    }

    @Test func `a wait is passed on`() async throws {
        try await withTemporaryDirectory { directory in
            let server = try ScriptedHTTPServer { _ in
                .text("later", status: 503, headers: [HTTPHeader("Retry-After", "3")])
            }
            let rig = try LaneRig(directory, url: server.url)
            let ended = await rig.run(try rig.form(server.url, text))
            #expect(ended.failure?.class == .temporary)
            #expect(ended.failure?.retryAfter == .seconds(3))
            #expect(ended.stage == .sending)
        }
    }

    /// What happens to a file while it is sent.
    enum Mishap: CaseIterable {
        case growsByOne, growsMuch, shrinksByOne, shrinksMuch, isOverwritten

        func happen(to path: String) {
            let size = TestFile.size(path) ?? 0
            let fd = open(path, O_WRONLY)
            defer { close(fd) }
            switch self {
            case .growsByOne: pwrite(fd, "x", 1, size)
            case .growsMuch: ftruncate(fd, size + 6_000_000)
            case .shrinksByOne: ftruncate(fd, size - 1)
            case .shrinksMuch: ftruncate(fd, 1_000)
            case .isOverwritten: pwrite(fd, "other", 5, 0)
            }
        }
    }

    @Test(arguments: Mishap.allCases)
    func `a file that changes under the post is not sent whole, and the connection goes`(
        mishap: Mishap
    ) async throws {
        try await withTemporaryDirectory { directory in
            let path = directory.appending("spool/random")
            let server = try ScriptedHTTPServer { request in
                if request.index == 0 { mishap.happen(to: path) }
                return .text("thanks")
            }
            let rig = try LaneRig(directory, url: server.url)
            let job = try rig.form(server.url, [file(try rig.randomSource(megabytes: 24))])
            let ended = await rig.run(job)
            #expect(ended.failure?.class == .temporary, "\(ended)")
            #expect(ended.stage == .sending)
            try await eventually("the end of the connection") { server.openConnections == 0 }
            #expect(server.requests.allSatisfy { !$0.isWhole })
            // As it is now, it is sent by the next attempt.
            #expect(await rig.run(rig.next(job, after: ended)).hasArrived)
            let last = try #require(server.requests.last)
            #expect(last.isWhole)
            #expect(last.connection > 0)
            #expect(last.bodyLength > TestFile.size(path) ?? 0)
        }
    }

    @Test(arguments: [true, false])
    func `a file that is removed or replaced under the post is sent as it was announced`(
        isReplaced: Bool
    ) async throws {
        try await withTemporaryDirectory { directory in
            let path = directory.appending("spool/random")
            let other = try directory.write(Array("another file".utf8), to: "other")
            let server = try ScriptedHTTPServer { _ in
                if isReplaced { rename(other, path) } else { unlink(path) }
                return .text("thanks")
            }
            let rig = try LaneRig(directory, url: server.url)
            let source = try rig.randomSource(megabytes: 24)
            let content = try TestFile.read(path)
            #expect(await rig.run(try rig.form(server.url, [file(source)])).hasArrived)
            let request = try #require(server.requests.first)
            let boundary = try #require(request.header("Content-Type")?.split(separator: "=").last)
            let type = "application/octet-stream"
            let form = ReferenceForm([.init("file", .bytes(content), filename: "random", type: type)])
            #expect(request.bodySHA256 == form.body(boundary: String(boundary)).sha256)
        }
    }

    @Test func `own fields and the login go along`() async throws {
        try await withTemporaryDirectory { directory in
            let server = try ScriptedHTTPServer { _ in .text("thanks") }
            let login = CredentialsTable.Login.credentials(Credentials(user: "me", password: "secret"))
            let rig = try LaneRig(directory, url: server.url, login: login)
            let field = try #require(HeaderField("X-Token: abc"))
            #expect(await rig.run(try rig.form(server.url, text, headers: [field])).hasArrived)
            #expect(await rig.run(try rig.form(server.url, text, id: 2)).hasArrived)
            #expect(server.requests.first?.header("X-Token") == "abc")
            #expect(server.requests.first?.header("Authorization") == "Basic bWU6c2VjcmV0")
            #expect(rig.notices.count == 1)
            #expect(!rig.notices.contains { $0.contains("secret") })
        }
    }

    @Test func `an endless head ends the post`() async throws {
        try await withTemporaryDirectory { directory in
            let server = try ScriptedHTTPServer { _ in
                let field = HTTPHeader("X", String(repeating: "x", count: 1_000))
                return .text("", headers: Array(repeating: field, count: 2_000))
            }
            let rig = try LaneRig(directory, url: server.url)
            let ended = await rig.run(try rig.form(server.url, text))
            #expect(ended.failure?.class == .unknownOutcome)
        }
    }
}
