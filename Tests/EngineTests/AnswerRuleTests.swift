import Testing
import TransferModel

@testable import TransferEngine

@Suite struct AnswerRuleTests {
    private static let document = #"""
        {"status": "ok", "n": 7, "f": 1.5, "e": null, "t": true, "list": [{"id": 1}, "x"], "a/b": 1, "m~n": 2, "": 3}
        """#

    @Test(arguments: [
        "/status == ok", #"/status == "ok""#, "/n == 7", "/f == 1.5", "/e == null", "/t == true",
        "/list/0/id == 1",
        "/list/1 == x", "/a~1b == 1", "/m~0n == 2", "/ == 3", "/missing != 1", "/list/2 != 1",
        "/list/00 != 1",
        "/status/x != ok", #"/list == [{"id":1},"x"]"#, "/n != 8",
    ])
    func `a condition holds`(text: String) throws {
        let tree = try #require(JSONTree(Array(Self.document.utf8)))
        #expect(try JSONCondition(text).holds(for: tree))
    }

    @Test(arguments: [
        "/status == no", "/n == seven", "/missing == null", "/e != null", "/t == 1", "/list/-1 == x",
    ])
    func `a condition does not hold`(text: String) throws {
        let tree = try #require(JSONTree(Array(Self.document.utf8)))
        let holds = try JSONCondition(text).holds(for: tree)
        #expect(!holds)
    }

    @Test(arguments: [#"{"a": 1, "a": 2}"#, #"{"b": {"a": 3}, "a": 1, "a": {"a": 4}}"#])
    func `of two equal names the first counts`(text: String) throws {
        let tree = try #require(JSONTree(Array(text.utf8)))
        #expect(try JSONCondition("/a == 1").holds(for: tree))
    }

    @Test(arguments: ["", "/a", "/a =", "/a = 1", "a == 1", "/a == ", "/a~ == 1", "/a~2 == 1"])
    func `what is no condition is refused`(text: String) {
        #expect(throws: InvalidCondition.self) { try JSONCondition(text) }
    }

    @Test func `a pattern finds lines, bytes that are no text, and what stands behind a NUL`() {
        #expect(AnswerPattern.matches("^b$", in: Array("a\nb\nc".utf8)))
        #expect(!AnswerPattern.matches("^b$", in: Array("ab".utf8)))
        #expect(AnswerPattern.matches("OK", in: [0xff, 0, 0xfe] + Array("OK".utf8)))
        #expect(!AnswerPattern.matches("(", in: Array("(".utf8)))
    }

    @Test(arguments: [
        ("2xx", [200, 299], [199, 300]), ("200, 204", [200, 204], [201]), ("200-202,303", [201, 303], [302]),
    ])
    func `statuses are listed, in classes and ranges`(text: String, good: [Int], bad: [Int]) throws {
        let statuses = try #require(SuccessStatuses(text))
        #expect(good.allSatisfy(statuses.contains) && !bad.contains(where: statuses.contains))
        #expect(SuccessStatuses(statuses.description) == statuses)
    }

    @Test(arguments: ["", "ok", "1xx", "100", "600", "204-200", "200,,201", "200-", "20x"])
    func `what is no list of statuses is refused`(text: String) {
        #expect(SuccessStatuses(text) == nil)
    }

    /// The example of RFC 2617, section 3.5; the same with SHA-256.
    @Test(arguments: [
        ("MD5", "6629fae49393a05397450978507c4ef1"),
        ("SHA-256", "5abdd07184ba512a22c53f41470e5eea7dcaa3a93a59b630c13dfe0a5dc6e38b"),
    ])
    func `Digest answers as its standard shows`(algorithm: String, response: String) throws {
        var head = HTTPHead()
        head.take(Array("HTTP/1.1 401 Unauthorized\r\n".utf8))
        head.take(
            Array(
                ("WWW-Authenticate: Digest realm=\"testrealm@host.com\", qop=\"auth,auth-int\", "
                    + "algorithm=\(algorithm), nonce=\"dcd98b7102dd2f0e8b11d0f600bfb0c093\", "
                    + "opaque=\"5ccc069c403ebaf9f0171e9517f40e41\"\r\n").utf8))
        var login = DigestLogin(try #require(DigestChallenge(head)))
        let field = login.authorization(
            Credentials(user: "Mufasa", password: "Circle Of Life"), method: "GET", target: "/dir/index.html",
            chance: "0a4f113b")
        #expect(field.contains("response=\"\(response)\""), "\(field)")
        #expect(field.contains("nc=00000001"))
        #expect(!field.contains("Circle"))
    }

    @Test func `the strongest challenge that can be met is taken`() {
        var head = HTTPHead()
        head.take(Array("HTTP/1.1 401 No\r\n".utf8))
        for field in [
            "Basic realm=\"x, y\"", "Digest realm=\"r\", nonce=\"1\", algorithm=MD5",
            "NTLM",
            "Digest realm=\"r\", nonce=\"2\", algorithm=SHA-256, qop=auth, Digest realm=r, nonce=3, qop=\"auth-int\"",
        ] { head.take(Array("WWW-Authenticate: \(field)\r\n".utf8)) }
        #expect(DigestChallenge(head)?.nonce == "2")
    }

    @Test
    func
        `a cookie goes back below its path, over TLS where it is meant for that, and is forgotten when over`()
        throws
    {
        func head(_ fields: String...) -> HTTPHead {
            var head = HTTPHead()
            head.take(Array("HTTP/1.1 200 OK\r\n".utf8))
            for field in fields { head.take(Array("Set-Cookie: \(field)\r\n".utf8)) }
            return head
        }
        var jar = CookieJar()
        let home = try TransferURL("https://h/dir/page")
        jar.take(
            head("a=1", "b=2; path=/", "c=3; Secure; Path=/dir/sub", "=x", "nothing", "d=\u{1}"), from: home)
        #expect(jar.field(for: home) == "a=1; b=2")
        let urls = try ["https://h/dir/sub/x?q", "http://h/dir/sub", "https://h/directory"].map {
            try TransferURL($0)
        }
        #expect(urls.map { jar.field(for: $0) } == ["c=3; a=1; b=2", "a=1; b=2", "b=2"])
        jar.take(head("a=; Max-Age=0", "b=4; Path=/"), from: home)
        #expect(jar.field(for: home) == "b=4")
    }
}
