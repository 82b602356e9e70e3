import TestServers
import Testing

@testable import TransferEngine
@testable import TransferModel

/// What web servers say, read.
@Suite struct WebValueTests {
    private func read(_ xml: String) throws -> Multistatus { try Multistatus(Array(xml.utf8)) }

    @Test func `a list has its names whatever its prefixes are`() throws {
        let found = try read(
            """
            <?xml version="1.0" encoding="utf-8"?>
            <!-- by hand -->
            <D:multistatus xmlns:D="DAV:" xmlns:lp1='DAV:'><D:response><D:href>/d/</D:href><D:propstat><D:prop>
            <lp1:resourcetype><D:collection/></lp1:resourcetype></D:prop><D:status>HTTP/1.1 200 OK</D:status>
            </D:propstat></D:response><response xmlns="DAV:"><href>http://h:8/d/a&amp;b%20%23%FF.bin</href>
            <propstat><prop><getcontentlength>12</getcontentlength>
            <getlastmodified>Sun, 06 Nov 1994 08:49:37 GMT</getlastmodified></prop>
            <status>HTTP/1.1 200 OK</status></propstat><propstat><prop><getcontentlength>9</getcontentlength></prop>
            <status>HTTP/1.1 404 Not Found</status></propstat></response></D:multistatus>
            """)
        let path = RemotePath(isAbsolute: true, names: [Array("d".utf8)])
        let listing = try WebListing.make(of: path, found, doing: "listing it")
        let entry = try #require(listing.entries.first)
        #expect(listing.entries.count == 1 && listing.unreadable.isEmpty)
        #expect(entry.name == Array("a&b #".utf8) + [0xff] + Array(".bin".utf8))
        #expect(entry.size == 12 && entry.kind == .file)
        #expect(entry.modified == Timestamp(rawValue: 784_111_777_000))
    }

    @Test func `a proxy may put another path in front`() throws {
        let xml = ["/dav/x/", "/dav/x/one", "/dav/x/two/", "/dav/x/two/three", "/elsewhere/x/no"].map {
            "<response><href>\($0)</href><propstat><prop><resourcetype>"
                + ($0.hasSuffix("/") ? "<collection/>" : "")
                + "</resourcetype></prop><status>HTTP/1.1 200 OK</status></propstat></response>"
        }
        let found = try read("<multistatus xmlns=\"DAV:\">\(xml.joined())</multistatus>")
        let path = RemotePath(isAbsolute: true, names: [Array("x".utf8)])
        let listing = try WebListing.make(of: path, found, doing: "listing it")
        #expect(listing.entries.map { String(decoding: $0.name, as: UTF8.self) } == ["one", "two"])
        #expect(listing.unreadable.count == 2)
    }

    @Test func `what is no directory is no list`() throws {
        let found = try read(
            "<multistatus xmlns=\"DAV:\"><response><href>/x</href></response></multistatus>")
        let path = RemotePath(isAbsolute: true, names: [Array("x".utf8)])
        #expect(throws: Failure.self) { try WebListing.make(of: path, found, doing: "listing it") }
    }

    @Test(arguments: [
        "", "<multistatus xmlns=\"DAV:\">", "<html></html>", "<multistatus/>",
        "<multistatus xmlns=\"DAV:\"></multistatu>", "<a xmlns=\"DAV:\"/><b/>", "no",
        "<!DOCTYPE x [<!ENTITY a \"b\">]><multistatus xmlns=\"DAV:\"/>",
        "<multistatus xmlns=\"DAV:\">&a;</multistatus>", "<multistatus xmlns=\"DAV:\">&#0;</multistatus>",
        "<multistatus xmlns=\"DAV:\"><response><href>/x</href>", "<x:multistatus/>", "<multistatus a=b/>",
        "<multistatus xmlns=\"DAV:\">&lt</multistatus>", String(repeating: "<a>", count: 1_000),
    ])
    func `a list that is cut or bent is a mistake`(xml: String) {
        #expect(throws: XMLReader.Mistake.self) { try read(xml) }
    }

    @Test func `texts have their entities and sections`() throws {
        let found = try read(
            "<multistatus xmlns=\"DAV:\"><response><href>/&#x66;&#246;<![CDATA[<&>]]></href></response></multistatus>"
        )
        #expect(found.entries.map(\.href) == [Array("/fö<&>".utf8)])
    }

    @Test(arguments: [
        ("Repr-Digest: sha-256=:ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0=:", "SHA-256 ba7816bf"),
        ("Digest: MD5=kAFQmDzST7DWlj99KOF/cg==,sha=qZk+NkcGgWq6PiVxeFDCbJzQ2J0=", "SHA-1 a9993e36"),
        ("Content-MD5: kAFQmDzST7DWlj99KOF/cg==", "MD5 90015098"),
        ("X-Goog-Hash: md5=kAFQmDzST7DWlj99KOF/cg==", "MD5 90015098"),
        ("OC-Checksum: SHA1:A9993E364706816ABA3E25717850C26C9CD0D89D", "SHA-1 a9993e36"),
        ("Repr-Digest: unixsum=:AAAA:", ""), ("Digest: sha-256=nonsense", ""),
    ])
    func `a checksum is found in what servers call it`(line: String, expected: String) {
        var head = HTTPHead()
        for line in ["HTTP/1.1 200 OK", line, ""] { head.take(Array("\(line)\r\n".utf8)) }
        let found = WebDigests(head).strongest
        #expect(found.map { "\($0.algorithm.rawValue) \($0.hexadecimal.prefix(8))" } ?? "" == expected)
    }

    @Test func `a date is written as it is read`() {
        let time = Timestamp(rawValue: 784_111_777_000)
        #expect(HTTPDate.text(time) == "Sun, 06 Nov 1994 08:49:37 GMT")
        #expect(HTTPDate.parse(HTTPDate.text(Timestamp(rawValue: 0))) == Timestamp(rawValue: 0))
    }

    // MARK: Addresses

    @Test func `what is beside a signed address has its query, and stands where it stands`() throws {
        let place = WebPlace(try TransferURL("https://h:8443/a%2fb//c%41.bin?sig=%2f"))
        let names = ["a", "b", "cA.bin"].map { Array($0.utf8) }
        let path = RemotePath(isAbsolute: true, names: names)
        #expect(place.address(of: path).text == "https://h:8443/a%2fb//c%41.bin?sig=%2f")
        let beside = path.renamed(try #require(FileName("x y")))
        #expect(place.address(of: beside).text == "https://h:8443/a%2fb//x%20y?sig=%2f")
        #expect(place.reference(to: beside) == "https://h:8443/a%2fb//x%20y")
        #expect(
            place.address(of: path.parent, isCollection: true).text == "https://h:8443/a/b/?sig=%2f")
    }

    @Test(arguments: [
        ("https://h/p?X-Amz-Signature=abc&x=1&flag", "https://h/p?X-Amz-Signature=…&x=1&flag"),
        ("https://h/p?sv=2022&sig=a%2Fb", "https://h/p?sv=2022&sig=…"),
        ("https://h/p?access_token=t&id=77", "https://h/p?access_token=…&id=77"),
        ("https://h/p?0123456789012345678901234567890123", "https://h/p?…"),
        ("https://h/p", "https://h/p"), ("ftp://h/a?token=x", "ftp://h/a?token=x"),
    ])
    func `an address shows no secret of its query`(text: String, shown: String) throws {
        let url = try TransferURL(text)
        #expect(url.description == shown && url.text == text)
    }

    @Test(arguments: [
        ("http://u:pw@h/p?token=t&a=b#access_token=x", "http://u:…@h/p?token=…&a=b"),
        ("//u:p@w@h?sig=1", "//u:…@h?sig=…"), ("http://u@h:80/a:b@c", "http://u@h:80/a:b@c"),
        ("../p?X-Amz-Signature=1\u{1}", "../p?X-Amz-Signature=…"), ("/a\u{1b}b", "/a\\x1bb"),
        ("file:///etc/passwd", "file:///etc/passwd"),
    ])
    func `an address that a server names shows no secret either`(text: String, shown: String) {
        #expect(TransferURL.shown(text) == shown)
    }

    // MARK: Files

    @Test(arguments: [
        ("HTTP/1.1 200 OK|Content-Length: 5", RemoteFile.size(5)), ("HTTP/1.1 200 OK", .present),
        ("HTTP/1.1 200 OK|Content-Length: 5|Content-Encoding: gzip", .present),
        ("HTTP/1.1 404 No", .absent), ("HTTP/1.1 410 Gone", .absent), ("HTTP/1.1 403 No", .unknown),
        ("HTTP/1.1 301 Moved|Location: http://h/x/d%20e/", .present),
        ("HTTP/1.1 302 Found|Location: http://h/login", .unknown),
    ])
    func `HEAD tells what stands there`(head text: String, file: RemoteFile) {
        var head = HTTPHead()
        for line in text.split(separator: "|").map(String.init) + [""] {
            head.take(Array("\(line)\r\n".utf8))
        }
        let path = RemotePath(isAbsolute: true, names: [Array("x".utf8), Array("d e".utf8)])
        #expect(WebFile.found(head, of: path) == file, "\(head)")
    }
}
