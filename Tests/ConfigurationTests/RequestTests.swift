import Testing
import TransferModel

@testable import TransferConfiguration

/// How requests to web servers are made, in sections and after `--option`.
@Suite struct RequestKeyTests {
    private static let lines = [
        "header = X-One: 1", "header = X-Two: 2", "auth = digest", "expect = on", "cookies = on",
        "answer_timeout = 1m30s", "success = 2xx,303", "success_if = ^OK", "success_json = /a/0 == \"x\"",
        "reply_file = {route}/{id}.txt", "idempotency_header = X-Request-ID", "unknown_outcome = hold",
    ]

    private static func wishes() throws -> RequestWishes {
        var wishes = RequestWishes()
        wishes.headers = ["X-One: 1", "X-Two: 2"].compactMap { HeaderField($0) }
        wishes.authentication = .digest
        wishes.expectation = .on
        wishes.cookies = .on
        wishes.answerTimeout = .seconds(90)
        wishes.success = SuccessStatuses("2xx,303")
        wishes.successPattern = "^OK"
        wishes.successCondition = try JSONCondition("/a/0 == \"x\"")
        wishes.replyFile = try NameTemplate("{route}/{id}.txt")
        wishes.idempotencyHeader = .named("X-Request-ID")
        wishes.unknownOutcome = .hold
        return wishes
    }

    @Test func `every key may stand in an origin, in a route and after --option`() throws {
        let text =
            "[origin o]\nmatch = *\n" + Self.lines.joined(separator: "\n")
            + "\n[route r]\nkind = form\nurl = https://h/in\n" + Self.lines.joined(separator: "\n")
        let settings = try ConfigurationFolder(text).load()
        let wishes = try Self.wishes()
        #expect(settings.origins.first?.request == wishes)
        #expect(settings.routes.first?.request == wishes)
        #expect(try JobOptions.read(Self.lines, for: .form, scheme: .https).request == wishes)
        let shown = JobOptions.values(of: wishes).flatMap { key, values in
            values.texts.map { "\(key) = \($0)" }
        }
        #expect(shown == Self.lines)
        #expect(Set(RequestWishes.keys.map(\.name)) == Set(JobOptions.values(of: wishes).map(\.key)))
    }

    @Test func `nearer wishes hold, and header fields add up by name`() throws {
        var job = RequestWishes()
        job.headers = [HeaderField("x-one: near")].compactMap(\.self)
        job.authentication = .bearer
        let held = job.or(try Self.wishes())
        #expect(held.headers?.map(\.name) == ["x-one", "X-Two"])
        #expect(held.authentication == .bearer && held.expectation == .on)
    }

    @Test(arguments: [
        "header = Host: h", "header = Content-Length: 1", "header = Transfer-Encoding: chunked",
        "header = Connection: close", "header = Upgrade: h2c", "header = Expect: 100-continue", "header = X",
        "header = X: a\u{1}b", "auth = ntlm", "expect = maybe", "answer_timeout = 0", "success = ok",
        "success_if = (", "success_json = status", "reply_file = ../x", "reply_file = {sha256}",
        "idempotency_header = Host", "idempotency_header = a b", "unknown_outcome = guess",
    ])
    func `what would break a request, or is none, is refused`(line: String) {
        #expect(throws: InvalidOption.self) { try JobOptions.read([line], for: .form, scheme: .http) }
    }

    @Test func `a login in a command line is refused, and downloads take what they can use`() throws {
        #expect(throws: InvalidOption.self) {
            try JobOptions.read(["header = Authorization: Basic eA=="], for: .form, scheme: .http)
        }
        #expect(throws: InvalidOption.self) {
            try JobOptions.read(["success = 200"], for: .download, scheme: .http)
        }
        _ = try JobOptions.read(["auth = bearer", "header = X: 1"], for: .download, scheme: .http)
        _ = try JobOptions.read(
            [
                "on_conflict = fail", "keep_mtime = yes", "permissions = 640", "if_newer = yes",
                "expect_size = 5",
            ],
            for: .download, scheme: .ftp)
        for web in ["segments = 2", "remote_name = yes", "expect_type = text/csv", "auth = basic"] {
            #expect(throws: InvalidOption.self) { try JobOptions.read([web], for: .download, scheme: .sftp) }
            _ = try JobOptions.read([web], for: .download, scheme: .https)
        }
        for wrong in ["verify = size", "expect_type = text", "expect_type = a/b;c=d", "expect_size = -1"] {
            #expect(throws: InvalidOption.self) {
                try JobOptions.read([wrong], for: .download, scheme: .https)
            }
        }
    }

    @Test func `an unknown outcome is sent again where the header was named, else held`() throws {
        var wishes = RequestWishes()
        #expect(wishes.unknownOutcomePolicy == .hold && wishes.idempotencyName == "Idempotency-Key")
        wishes.idempotencyHeader = .named("X")
        #expect(wishes.unknownOutcomePolicy == .retry && wishes.idempotencyName == "X")
        wishes.unknownOutcome = .hold
        #expect(wishes.unknownOutcomePolicy == .hold)
        wishes.idempotencyHeader = .off
        wishes.unknownOutcome = nil
        #expect(wishes.unknownOutcomePolicy == .hold && wishes.idempotencyName == nil)
    }
}
