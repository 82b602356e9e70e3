import Testing
import TransferModel

@testable import TransferEngine

@Suite struct HTTPValues {
    @Test(arguments: [
        ("Sun, 06 Nov 1994 08:49:37 GMT", 784_111_777),
        ("Sunday, 06-Nov-94 08:49:37 GMT", 784_111_777),
        ("Sun Nov  6 08:49:37 1994", 784_111_777),
        ("Thu, 01 Jan 1970 00:00:00 GMT", 0),
        ("Tue, 29 Feb 2028 23:59:59 GMT", 1_835_481_599),
    ])
    func `the three forms of a date mean the same second`(text: String, seconds: Int64) {
        #expect(HTTPDate.parse(text) == Timestamp(rawValue: seconds * 1000))
    }

    @Test(arguments: [
        "", "soon", "Sun, 06 Nov 1994", "Sun, 32 Nov 1994 08:49:37 GMT", "Sun, 06 Nov 1994 08:49:37 CET",
    ])
    func `what is no date is none`(text: String) {
        #expect(HTTPDate.parse(text) == nil)
    }

    @Test(arguments: [
        ("3", Duration.seconds(3)), ("0", .zero), ("-5", .zero), ("99999999999999999999", .seconds(1 << 40)),
        ("Sun, 06 Nov 1994 08:49:47 GMT", .seconds(10)), ("Sun, 06 Nov 1994 08:49:27 GMT", .zero),
    ])
    func `a wait is read as seconds or a date and is never negative`(text: String, wait: Duration) {
        #expect(RetryAfter.wait(text, now: Timestamp(rawValue: 784_111_777_000)) == wait)
    }

    @Test func `a wait that is neither is none`() {
        #expect(RetryAfter.wait("soon", now: Timestamp(rawValue: 0)) == nil)
    }

    @Test(arguments: [
        ("bytes 0-99/200", ContentRange.part(first: 0, last: 99, total: 200)),
        ("Bytes 5-5/*", .part(first: 5, last: 5, total: nil)),
        ("bytes */200", .unsatisfied(total: 200)),
    ])
    func `a range is read`(text: String, range: ContentRange) {
        #expect(ContentRange(text) == range)
    }

    @Test(arguments: [
        "", "bytes 9-5/20", "bytes 0-20/20", "bytes */*", "items 0-5/20", "bytes 0-5", "bytes -5/20",
        "bytes 0-99999999999999999999/*", "bytes=0-5/20",
    ])
    func `a range that contradicts itself is none`(text: String) {
        #expect(ContentRange(text) == nil)
    }

    @Test(arguments: [
        (["Content-Length: 5"], BodyFraming.length(5)),
        (["Content-Length: 5", "Content-Length: 5"], .length(5)),
        (["Content-Length: 5, 5"], .length(5)),
        (["Content-Length: 5", "Content-Length: 6"], .invalid("two different lengths (5, 6)")),
        (
            ["Content-Length: 9223372036854775808"],
            .invalid("a length that no file has ('9223372036854775808')")
        ),
        (["Content-Length: -1"], .invalid("a length that no file has ('-1')")),
        (["Transfer-Encoding: chunked", "Content-Length: 5"], .chunked),
        ([], .connection),
    ])
    func `the fields say where a body ends`(fields: [String], framing: BodyFraming) {
        #expect(BodyFraming(head(200, fields)) == framing)
    }

    @Test func `interim answers and trailers are no part of the head`() {
        var head = HTTPHead()
        for line in [
            "HTTP/1.1 100 Continue", "X: interim", "", "HTTP/1.1 200 Fine enough", "ETag:  \"a\" ", "",
            "ETag: \"trailer\"",
        ] {
            head.take(Array((line + "\r\n").utf8))
        }
        #expect(head.status == 200)
        #expect(head.answer == "200 Fine enough")
        #expect(head.fields == [.init(name: "etag", value: "\"a\"")])
        #expect(head.isComplete)
    }

    @Test func `a head without end is cut and known to be`() {
        var head = HTTPHead()
        head.take(Array("HTTP/1.1 200 OK\r\n".utf8))
        for _ in 0..<5_000 { head.take(Array("X: \(String(repeating: "x", count: 100))\r\n".utf8)) }
        #expect(head.isTooLong)
        #expect(head.fields.count < 3_000)
    }

    @Test(arguments: [
        ("http://other.example/x", "http://other.example/x"),
        ("//other.example/x", "http://other.example/x"),
        ("/x?y=1#z", "http://host.example:81/x?y=1"),
        ("x", "http://host.example:81/a/x"),
        ("../x", "http://host.example:81/x"),
        ("../../../x/./y/..", "http://host.example:81/x/"),
        ("?q", "http://host.example:81/a/b?q"),
        ("", "http://host.example:81/a/b?c=/d"),
        ("/two words/é", "http://host.example:81/two%20words/%C3%A9"),
        ("x:y/z", nil), ("ftp://other.example/x", "ftp://other.example/x"),
        ("http://u:p@other.example/", nil), ("/a\u{7}b", nil), ("file:///etc/passwd", nil),
    ])
    func `a new address is seen from the old one`(reference: String, target: String?) throws {
        let url = try TransferURL("http://host.example:81/a/b?c=/d")
        #expect((try? url.resolving(reference).description) == target)
    }
}

/// The head of an answer, made of its lines.
func head(_ status: Int, _ fields: [String] = []) -> HTTPHead {
    var head = HTTPHead()
    for line in ["HTTP/1.1 \(status) Words"] + fields + [""] { head.take(Array((line + "\r\n").utf8)) }
    return head
}
