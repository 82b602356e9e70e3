import Glibc
import TestServers
import Testing
import TransferModel

@testable import TransferEngine

/// What the answer to a form means, and where it is kept.
@Suite struct Answers {
    private let text = [FormPart(name: "a", content: .text("1"))]

    private func wishes(_ change: (inout RequestWishes) throws -> Void) rethrows -> RequestWishes {
        var wishes = RequestWishes()
        try change(&wishes)
        return wishes
    }

    /// One form to a server that answers so.
    private func post(
        _ behaviour: HTTPBehaviour, _ request: RequestWishes? = nil,
        login: CredentialsTable.Login = .anonymous,
        _ check: (Ended, LaneRig) throws -> Void
    ) async throws {
        try await withTemporaryDirectory { directory in
            let server = try ScriptedHTTPServer { _ in behaviour }
            let rig = try LaneRig(directory, url: server.url, login: login)
            let ended = await rig.run(try rig.form("\(server.url)/in", text, request: request))
            #expect(server.requests.count == 1)
            try check(ended, rig)
        }
    }

    @Test func `an error inside a good answer is a failure, and the answer is kept`() async throws {
        let pattern = wishes { $0.successPattern = "^(OK|done)$" }
        try await post(.text("line\nERROR 7"), pattern) { ended, _ in
            #expect(ended.failure?.class == .permanent && ended.failure?.code == 200, "\(ended)")
            #expect(ended.failure?.text.contains("success_if") == true)
            #expect(ended.failure?.reply?.body == Array("line\nERROR 7".utf8))
            #expect(ended.stage == .sending)
        }
        try await post(.text("line\nOK\nmore"), pattern) { ended, _ in #expect(ended.hasArrived, "\(ended)") }
        let condition = try wishes { $0.successCondition = try JSONCondition("/status == ok") }
        try await post(.text(#"{"status": "ok"}"#), condition) { ended, _ in #expect(ended.hasArrived) }
        for body in [#"{"status": "no"}"#, "{}", "ok", #"{"status": "ok"#] {
            try await post(.text(body), condition) { ended, _ in
                #expect(ended.failure?.class == .permanent, "\(ended)")
            }
        }
    }

    @Test func `an answer that breaks off before it can be judged leaves the outcome unknown`() async throws {
        var cut = HTTPBehaviour.text(String(repeating: " ", count: 1_000) + "OK")
        cut.cutAfter = 500
        cut.ending = .closes
        try await post(cut, wishes { $0.successPattern = "OK" }) { ended, _ in
            #expect(ended.failure?.class == .unknownOutcome, "\(ended)")
        }
        try await post(cut) { ended, _ in #expect(ended.hasArrived, "\(ended)") }
    }

    @Test func `the beginning of a long answer is looked at, and JSON has to be whole`() async throws {
        let long = "OK" + String(repeating: " ", count: 1_100_000) + "LATE"
        try await post(.text(long), wishes { $0.successPattern = "OK" }) { ended, _ in
            #expect(ended.hasArrived)
            #expect(ended.arrival?.reply?.body.count == 65_536)
        }
        try await post(.text(long), wishes { $0.successPattern = "LATE" }) { ended, _ in
            #expect(ended.failure?.text.contains("1048576 bytes") == true, "\(ended)")
        }
        try await post(.text(long), try wishes { $0.successCondition = try JSONCondition("/a == 1") }) {
            ended, _ in
            #expect(ended.failure?.text.contains("too long") == true, "\(ended)")
        }
    }

    @Test func `the statuses that mean success are those of the list`() async throws {
        let list = wishes { $0.success = SuccessStatuses("200,303,409") }
        for status in [200, 303, 409] {
            try await post(.text("", status: status), list) { ended, _ in
                #expect(ended.hasArrived, "\(ended)")
            }
        }
        try await post(.text("", status: 201), list) { ended, _ in
            #expect(ended.failure?.class == .permanent, "\(ended)")
            #expect(ended.failure?.text.contains("success = 200,303,409") == true)
        }
    }

    @Test(arguments: [502, 504])
    func `a gateway does not know whether the server behind it has the form`(status: Int) async throws {
        try await post(.text("", status: status)) { ended, _ in
            #expect(ended.failure?.class == .unknownOutcome, "\(ended)")
            #expect(ended.stage == .sealed)
        }
    }

    @Test func `a gateway that answers before the whole form was sent leaves no doubt`() async throws {
        try await withTemporaryDirectory { directory in
            let server = try ScriptedHTTPServer { _ in
                var answer = HTTPBehaviour.text("", status: 502)
                answer.reads = .first(65_536)
                answer.ending = .closes
                return answer
            }
            let rig = try LaneRig(directory, url: server.url)
            let file = FormPart(
                name: "f", content: .file(try rig.randomSource(megabytes: 8), type: nil, filename: nil))
            let ended = await rig.run(try rig.form(server.url, [file]))
            #expect(ended.failure?.class == .temporary, "\(ended)")
        }
    }

    @Test func `nginx refuses what is too large, and its words are kept`() async throws {
        try await withTemporaryDirectory { directory in
            let server = try await NginxServer.start(
                in: directory, extra: ["client_max_body_size 64k;", "location = /in { return 200; }"])
            let rig = try LaneRig(directory, url: server.url)
            let file = FormPart(
                name: "f", content: .file(try rig.randomSource(megabytes: 8), type: nil, filename: nil))
            let ended = await rig.run(try rig.form("\(server.url)/in", [file]))
            #expect(ended.failure?.class == .permanent && ended.failure?.code == 413, "\(ended)")
            let body = ended.failure?.reply.map { String(decoding: $0.body, as: UTF8.self) }
            #expect(body?.contains("Too Large") == true)
            await server.stop()
        }
    }

    @Test func `too large for now is asked again later, too large is not`() async throws {
        try await post(.text("", status: 413)) { ended, _ in #expect(ended.failure?.class == .permanent) }
        try await post(.text("", status: 413, headers: [HTTPHeader("Retry-After", "120")])) { ended, _ in
            #expect(ended.failure?.class == .temporary)
            #expect(ended.failure?.retryAfter == .seconds(120))
        }
    }

    @Test(arguments: [401, 403])
    func `a refused login is the login's failure, and without one the job's`(status: Int) async throws {
        let login = CredentialsTable.Login.credentials(Credentials(user: "me", password: "secret"))
        try await post(.text("no", status: status), login: login) { ended, _ in
            #expect(ended.failure?.class == .permanent && ended.failure?.scope == .login)
        }
        try await post(.text("no", status: status)) { ended, _ in
            #expect(ended.failure?.class == .permanent && ended.failure?.scope == .job)
        }
    }

    @Test func `a moved form that is to be asked for later is waited for`() async throws {
        try await withTemporaryDirectory { directory in
            let server = try ScriptedHTTPServer { request in
                guard request.target != "/in" else { return .text("thanks") }
                let wait = request.target == "/soon" ? "1" : "4000"
                return .text(
                    "", status: 307,
                    headers: [HTTPHeader("Location", "/in"), HTTPHeader("Retry-After", wait)])
            }
            let rig = try LaneRig(directory, url: server.url)
            let start = ContinuousClock.now
            #expect(await rig.run(try rig.form("\(server.url)/soon", text)).hasArrived)
            #expect(ContinuousClock.now - start >= .seconds(1))
            let ended = await rig.run(try rig.form("\(server.url)/late", text, id: 2))
            #expect(
                ended.failure?.class == .temporary && ended.failure?.retryAfter == .seconds(4000), "\(ended)")
        }
    }

    @Test func `status line and header fields are kept as they came`() async throws {
        let headers = [HTTPHeader("X-One", "1"), HTTPHeader("Set-Cookie", "a=b")]
        try await post(.text("thanks", status: 201, headers: headers)) { ended, _ in
            let head = ended.arrival?.reply?.head.map { String(decoding: $0, as: UTF8.self) }
            #expect(
                head
                    == "HTTP/1.1 201 Scripted\r\nX-One: 1\r\nSet-Cookie: a=b\r\nContent-Length: 6\r\n\r\n")
        }
    }

    // MARK: The whole answer in a file

    @Test func `the whole answer goes into the file that is wished, also one of a failure`() async throws {
        let content = TestContent.pattern(3_000_000, seed: 3)
        let wish = try wishes { $0.replyFile = try NameTemplate("{route}/sub/{id}.txt") }
        for status in [200, 422] {
            var answer = HTTPBehaviour(status: status, headers: [], body: content)
            answer.announces = .chunked
            try await post(answer, wish) { ended, rig in
                #expect(ended.hasArrived == (status == 200), "\(ended)")
                let place = rig.directory.appending("replies/sub")
                let names = try TestFile.names(in: place)
                #expect(names == [Array("1.txt".utf8)])
                let bytes = try TestFile.read("\(place)/1.txt")
                #expect(bytes == content.bytes)
            }
        }
    }

    @Test
    func `a file for the answer stands below replies or the directories of downloads, else nothing is sent`()
        async throws
    {
        try await withTemporaryDirectory { directory in
            let server = try ScriptedHTTPServer { _ in .text("thanks") }
            let rig = try LaneRig(directory, url: server.url)
            let good = try wishes { $0.replyFile = try NameTemplate(rig.downloaded("{id}")) }
            #expect(await rig.run(try rig.form(server.url, text, request: good)).hasArrived)
            #expect(try rig.downloads() == ["1"])
            let bad = try wishes { $0.replyFile = try NameTemplate(directory.appending("other/{id}")) }
            let ended = await rig.run(try rig.form(server.url, text, id: 2, request: bad))
            #expect(ended.failure?.class == .permanent, "\(ended)")
            #expect(server.requests.count == 1)
        }
    }

    @Test func `an answer that cannot be written does not have the form sent again`() async throws {
        let wish = try wishes { $0.replyFile = try NameTemplate("{id}") }
        try await withTemporaryDirectory { directory in
            let taken = directory.appending("replies/1")
            let server = try ScriptedHTTPServer { _ in
                mkdir(taken, 0o755)
                return .text("thanks")
            }
            let rig = try LaneRig(directory, url: server.url)
            let ended = await rig.run(try rig.form(server.url, text, request: wish))
            #expect(ended.hasArrived, "\(ended)")
            #expect(rig.notices.contains { $0.contains("could not be written to its file") })
            #expect(try TestFile.names(in: directory.appending("replies")).count == 1)
        }
    }
}
