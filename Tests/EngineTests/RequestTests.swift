import Glibc
import Synchronization
import TestServers
import Testing
import TransferModel

@testable import TransferEngine

/// How a form's request is made: what goes along, and to whom.
@Suite struct Requests {
    private let text = [FormPart(name: "a", content: .text("1"))]
    private let login = CredentialsTable.Login.credentials(Credentials(user: "me", password: "secret"))

    private func wishes(_ change: (inout RequestWishes) -> Void) -> RequestWishes {
        var wishes = RequestWishes()
        change(&wishes)
        return wishes
    }

    private func origin(_ change: (inout OriginSettings) -> Void) -> OriginSettings {
        var settings = OriginSettings(name: "test")
        change(&settings)
        return settings
    }

    @Test func `the fields of origin and job add up, and the nearest of a name counts`() async throws {
        try await withTemporaryDirectory { directory in
            let server = try ScriptedHTTPServer { _ in .text("thanks") }
            let settings = origin {
                $0.request.headers = ["X-A: far", "X-B: far"].compactMap { HeaderField($0) }
            }
            let rig = try LaneRig(directory, url: server.url, settings: settings)
            let near = try #require(HeaderField("x-a: near"))
            #expect(await rig.run(try rig.form(server.url, text, headers: [near])).hasArrived)
            let request = try #require(server.requests.first)
            #expect(request.headers.filter { $0.name.lowercased() == "x-a" }.map(\.value) == ["near"])
            #expect(request.header("X-B") == "far")
            #expect(request.header("Expect") == nil)
            #expect(request.header("Accept-Encoding") == nil && request.header("Content-Encoding") == nil)
        }
    }

    @Test func `a token goes along as it is and the password's user does not`() async throws {
        try await withTemporaryDirectory { directory in
            let server = try ScriptedHTTPServer { _ in .text("thanks") }
            let rig = try LaneRig(
                directory, url: server.url, settings: origin { $0.request.authentication = .bearer },
                login: login)
            #expect(await rig.run(try rig.form(server.url, text)).hasArrived)
            #expect(server.requests.first?.header("Authorization") == "Bearer secret")
            #expect(rig.notices.contains { $0.contains("token") })
        }
    }

    @Test func `the idempotency field has the name that is wished, or is left out`() async throws {
        try await withTemporaryDirectory { directory in
            let server = try ScriptedHTTPServer { _ in .text("thanks") }
            let rig = try LaneRig(directory, url: server.url)
            let named = wishes { $0.idempotencyHeader = .named("X-Request-ID") }
            let off = wishes { $0.idempotencyHeader = .off }
            #expect(await rig.run(try rig.form(server.url, text, request: named)).hasArrived)
            #expect(await rig.run(try rig.form(server.url, text, id: 2, request: off)).hasArrived)
            #expect(server.requests.map { $0.header("X-Request-ID") } == ["k3y-1", nil])
            #expect(server.requests.allSatisfy { $0.header("Idempotency-Key") == nil })
        }
    }

    // MARK: Digest

    /// Lets in whoever answers the nonce `nonce()` rightly, as RFC 7616 has it, with MD5 or SHA-256.
    private func guarded(
        _ algorithm: String = "SHA-256", stale: Bool = false, nonce: @escaping @Sendable () -> String
    ) throws -> ScriptedHTTPServer {
        try ScriptedHTTPServer { request in
            let nonce = nonce()
            let shown = request.header("Authorization").map(AuthenticationChallenge.read)?.first
            let isRight = shown.map { Self.isRight($0, request, algorithm, nonce) } ?? false
            guard !isRight else { return .text("thanks") }
            let tail = stale && shown != nil ? ", stale=true" : ""
            return .text(
                "", status: 401,
                headers: [
                    HTTPHeader(
                        "WWW-Authenticate",
                        "Basic realm=\"x\", Digest realm=\"a \\\"b\\\"\", nonce=\"\(nonce)\", qop=\"auth\", "
                            + "algorithm=\(algorithm), opaque=\"o\"\(tail)")
                ])
        }
    }

    private static func isRight(
        _ shown: AuthenticationChallenge, _ request: HTTPRequest, _ algorithm: String, _ nonce: String
    ) -> Bool {
        func hash(_ text: String) -> String {
            var digest = Digest(algorithm == "MD5" ? .md5 : .sha256)
            Array(text.utf8).withUnsafeBytes { digest.update($0) }
            return digest.finish()
        }
        let fields = shown.parameters
        let secret = hash("me:a \"b\":secret")
        let wish = hash("\(request.method):\(request.target)")
        let middle = [nonce, fields["nc"] ?? "", fields["cnonce"] ?? "", "auth"].joined(separator: ":")
        return fields["response"] == hash("\(secret):\(middle):\(wish)") && fields["uri"] == request.target
            && fields["opaque"] == "o"
    }

    @Test(arguments: ["MD5", "SHA-256"])
    func `Digest asks first without a body, and then sends each body once`(algorithm: String) async throws {
        try await withTemporaryDirectory { directory in
            let server = try guarded(algorithm) { "n1" }
            let rig = try LaneRig(
                directory, url: server.url, settings: origin { $0.request.authentication = .digest },
                login: login)
            for id in 1...3 {
                let ended = await rig.run(try rig.form("\(server.url)/in?x=1", text, id: Int64(id)))
                #expect(ended.hasArrived, "\(ended)")
            }
            #expect(server.requests.map(\.method) == ["HEAD", "POST", "POST", "POST"])
            #expect(server.requests.first?.bodyLength == 0)
            #expect(server.requests.first?.header("Idempotency-Key") == nil)
            #expect(server.requests.allSatisfy { $0.header("Authorization")?.contains("secret") != true })
            #expect(!rig.notices.contains { $0.contains("in clear") })
        }
    }

    @Test func `a nonce that has become old costs one repetition and no login`() async throws {
        try await withTemporaryDirectory { directory in
            let age = Atomic<Int>(0)
            let server = try guarded(stale: true) { age.load(ordering: .relaxed) < 1 ? "n1" : "n2" }
            let rig = try LaneRig(
                directory, url: server.url, settings: origin { $0.request.authentication = .digest },
                login: login)
            #expect(await rig.run(try rig.form(server.url, text)).hasArrived)
            age.store(1, ordering: .relaxed)
            let ended = await rig.run(try rig.form(server.url, text, id: 2))
            #expect(ended.hasArrived, "\(ended)")
            #expect(server.requests.map(\.method) == ["HEAD", "POST", "POST", "POST"])
        }
    }

    @Test func `a wrong password is refused once with Digest, too`() async throws {
        try await withTemporaryDirectory { directory in
            let server = try guarded { "n1" }
            let rig = try LaneRig(
                directory, url: server.url, settings: origin { $0.request.authentication = .digest },
                login: .credentials(Credentials(user: "me", password: "wrong")))
            let ended = await rig.run(try rig.form(server.url, text))
            #expect(ended.failure?.scope == .login, "\(ended)")
            #expect(server.requests.map(\.method) == ["HEAD", "POST"])
            #expect(ended.stage == .sending)
        }
    }

    @Test func `a server that asks for no login gets the form without one`() async throws {
        try await withTemporaryDirectory { directory in
            let server = try ScriptedHTTPServer {
                $0.method == "HEAD" ? .text("", status: 405) : .text("thanks")
            }
            let rig = try LaneRig(
                directory, url: server.url, settings: origin { $0.request.authentication = .digest },
                login: login)
            #expect(await rig.run(try rig.form(server.url, text)).hasArrived)
            #expect(server.requests.map { $0.header("Authorization") } == [nil, nil])
        }
    }

    // MARK: Expect, cookies, waits

    @Test func `a server that is asked first refuses a large body before it is sent`() async throws {
        try await withTemporaryDirectory { directory in
            let server = try ScriptedHTTPServer { request in
                guard request.target != "/no" else {
                    var answer = HTTPBehaviour.text("too large", status: 413)
                    answer.reads = .first(0)
                    answer.ending = .closes
                    return answer
                }
                return .text("thanks")
            }
            let rig = try LaneRig(
                directory, url: server.url, settings: origin { $0.request.expectation = .on })
            let file = FormPart(
                name: "f", content: .file(try rig.source(.pattern(3_000_000)), type: nil, filename: nil))
            #expect(await rig.run(try rig.form("\(server.url)/yes", [file])).hasArrived)
            let ended = await rig.run(try rig.form("\(server.url)/no", [file], id: 2))
            #expect(ended.failure?.class == .permanent && ended.failure?.code == 413, "\(ended)")
            #expect(server.requests.map { $0.header("Expect") } == ["100-continue", "100-continue"])
            #expect(server.requests.map { $0.bodyLength > 0 } == [true, false])
        }
    }

    @Test func `a server that cannot be asked first gets the body at once, and is not asked again`()
        async throws
    {
        try await withTemporaryDirectory { directory in
            let server = try ScriptedHTTPServer { request in
                guard request.header("Expect") != nil else { return .text("thanks") }
                var answer = HTTPBehaviour.text("", status: 417)
                answer.reads = .first(0)
                answer.ending = .closes
                return answer
            }
            let rig = try LaneRig(
                directory, url: server.url, settings: origin { $0.request.expectation = .on })
            for id in 1...2 {
                let ended = await rig.run(try rig.form(server.url, text, id: Int64(id)))
                #expect(ended.hasArrived, "\(ended)")
            }
            #expect(server.requests.map { $0.header("Expect") } == ["100-continue", nil, nil])
        }
    }

    @Test(arguments: [Switch.on, .off])
    func `cookies go back within one attempt where that is wished, and to nobody later`(wish: Switch)
        async throws
    {
        try await withTemporaryDirectory { directory in
            let server = try ScriptedHTTPServer { request in
                guard request.target == "/" else { return .text("thanks") }
                return .text(
                    "", status: 307,
                    headers: [
                        HTTPHeader("Location", "/in"), HTTPHeader("Set-Cookie", "id=7; Path=/; HttpOnly"),
                        HTTPHeader("Set-Cookie", "other=1; Path=/elsewhere"),
                        HTTPHeader("Set-Cookie", "tls=1; Path=/; Secure"),
                    ])
            }
            let rig = try LaneRig(directory, url: server.url, settings: origin { $0.request.cookies = wish })
            for id in 1...2 {
                #expect(await rig.run(try rig.form("\(server.url)/", text, id: Int64(id))).hasArrived)
            }
            let sent = wish == .on ? "id=7" : nil
            #expect(server.requests.map { $0.header("Cookie") } == [nil, sent, nil, sent])
        }
    }

    @Test func `the wait for an answer has a limit of its own`() async throws {
        try await withTemporaryDirectory { directory in
            let server = try ScriptedHTTPServer { request in
                guard request.target == "/slow" else { return .silent }
                var answer = HTTPBehaviour.text("thanks")
                answer.delay = .milliseconds(1_500)
                return answer
            }
            let settings = origin {
                $0.stallTimeout = .seconds(1)
                $0.request.answerTimeout = .seconds(3)
            }
            let rig = try LaneRig(directory, url: server.url, settings: settings)
            // Longer than the other side may be silent while bytes are to move.
            #expect(await rig.run(try rig.form("\(server.url)/slow", text)).hasArrived)
            let start = ContinuousClock.now
            let ended = await rig.run(try rig.form("\(server.url)/never", text, id: 2))
            #expect(ended.failure?.class == .unknownOutcome, "\(ended)")
            #expect(ended.failure?.text.contains("waiting for the server's word") == true, "\(ended)")
            #expect(ContinuousClock.now - start >= .seconds(3))
        }
    }

    @Test func `a short wait for an answer ends before the other side may be silent`() async throws {
        try await withTemporaryDirectory { directory in
            let server = try ScriptedHTTPServer { _ in .silent }
            let rig = try LaneRig(
                directory, url: server.url, settings: origin { $0.request.answerTimeout = .seconds(1) })
            let start = ContinuousClock.now
            #expect(await rig.run(try rig.form(server.url, text)).failure?.class == .unknownOutcome)
            #expect(ContinuousClock.now - start < .seconds(30))
        }
    }

    // MARK: Other servers

    @Test func `header fields and login go to no other server than the address's`() async throws {
        try await withTemporaryDirectory { directory in
            let other = try ScriptedHTTPServer { _ in .text("content") }
            let server = try ScriptedHTTPServer { [url = other.url] _ in
                .text("", status: 302, headers: [HTTPHeader("Location", "\(url)/f")])
            }
            let settings = origin {
                $0.request.headers = [HeaderField("X-Secret: s3")].compactMap(\.self)
                $0.request.authentication = .bearer
                $0.request.cookies = .on
            }
            let rig = try LaneRig(directory, url: server.url, settings: settings, login: login)
            let ended = await rig.run(try rig.download("\(server.url)/f"))
            #expect(ended.hasArrived, "\(ended)")
            #expect(server.requests.first?.header("X-Secret") == "s3")
            #expect(server.requests.first?.header("Authorization") == "Bearer secret")
            #expect(other.requests.count == 1)
            #expect(other.requests.first?.header("X-Secret") == nil)
            #expect(other.requests.first?.header("Authorization") == nil)
        }
    }

    @Test func `a download logs in with Digest`() async throws {
        try await withTemporaryDirectory { directory in
            let server = try guarded { "n1" }
            let rig = try LaneRig(
                directory, url: server.url, settings: origin { $0.request.authentication = .digest },
                login: login)
            let ended = await rig.run(try rig.download("\(server.url)/f"))
            #expect(ended.hasArrived, "\(ended)")
            #expect(try TestFile.read(rig.downloaded()) == Array("thanks".utf8))
        }
    }

    @Test func `a web server that demands it is shown our certificate`() async throws {
        try await withTemporaryDirectory { directory in
            let certificates = try await TestCertificates.make(in: directory)
            let server = try await NginxServer.start(
                in: directory, tls: true,
                extra: [
                    "ssl_client_certificate \(certificates.authority);", "ssl_verify_client optional;",
                    "location = /in { return 200 \"$ssl_client_verify\"; }",
                ])
            for shows in [true, false] {
                let settings = origin {
                    $0.trust.caFile = FilePath(certificates.authority)
                    $0.trust.clientCertificate = shows ? FilePath(certificates.certificate) : nil
                    $0.trust.clientKey = shows ? FilePath(certificates.key) : nil
                }
                let rig = try LaneRig(directory, url: server.url, settings: settings)
                let ended = await rig.run(try rig.form("\(server.url)/in", text))
                let body = ended.arrival?.reply.map { String(decoding: $0.body, as: UTF8.self) }
                #expect(body == (shows ? "SUCCESS" : "NONE"), "\(ended)")
            }
            await server.stop()
        }
    }

    // MARK: Proxies

    @Test func `a proxy carries plain HTTP itself and tunnels the rest`() async throws {
        try await withTemporaryDirectory { directory in
            let proxy = try ScriptedHTTPServer { request in
                guard request.header("Proxy-Authorization") != nil else {
                    return .text("who are you", status: 407)
                }
                return .text("by proxy")
            }
            let settings = origin {
                $0.path.proxy = ProxyAddress(scheme: .http, host: "127.0.0.1", port: Int(proxy.port))
            }
            let rig = try LaneRig(
                directory, url: "http://forms.invalid/in", settings: settings, login: login,
                proxyLogin: Credentials(user: "p", password: "pp"))
            let ended = await rig.run(try rig.form("http://forms.invalid/in", text))
            #expect(ended.arrival?.reply?.body == Array("by proxy".utf8), "\(ended)")
            #expect(proxy.requests.first?.target == "http://forms.invalid/in")
            #expect(proxy.requests.first?.header("Authorization") == "Basic bWU6c2VjcmV0")
            let stranger = try LaneRig(directory, url: "http://forms.invalid/in", settings: settings)
            let refused = await stranger.run(try stranger.form("http://forms.invalid/in", text))
            #expect(refused.failure?.scope == .login, "\(refused)")
            #expect(refused.failure?.text.contains("the proxy wants a login") == true, "\(refused)")
        }
    }

    @Test func `a form goes over TLS through a tunnel, and the proxy hears nothing of it`() async throws {
        try await withTemporaryDirectory { directory in
            let certificates = try await TestCertificates.make(in: directory)
            let server = try await NginxServer.start(
                in: directory, tls: true, extra: ["location = /in { return 200 thanks; }"])
            let proxy = try ScriptedProxy(.http, login: "p:pp")
            let settings = origin {
                $0.trust.caFile = FilePath(certificates.authority)
                $0.path.proxy = ProxyAddress(scheme: .http, host: "127.0.0.1", port: Int(proxy.port))
                $0.request.headers = [HeaderField("X-Secret: s3")].compactMap(\.self)
            }
            let rig = try LaneRig(
                directory, url: server.url, settings: settings, login: login,
                proxyLogin: Credentials(user: "p", password: "pp"))
            let ended = await rig.run(try rig.form("\(server.url)/in", text))
            #expect(ended.hasArrived, "\(ended)")
            #expect(proxy.wishes.map(\.port) == [server.port])
            await server.stop()
        }
    }
}
