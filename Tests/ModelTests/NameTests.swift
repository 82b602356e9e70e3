import Testing
import TransferModel

@Suite struct NamesAndAddresses {
    @Test(arguments: [
        "ftp://h/a#b?c;type=a", "ftp://h/a%23b", "ftp://user@h:2121/d/", "https://h/x?y=1", "ftp://[::1]/x",
    ])
    func `an address is stored as it was written`(text: String) throws {
        #expect(try TransferURL(text).description == text)
    }

    @Test func `number signs and question marks in an FTP address belong to the name`() throws {
        #expect(try TransferURL("ftp://h/d/a#b?c").fileName == FileName("a#b?c"))
    }

    @Test func `a name is encoded once`() throws {
        let name = try #require(FileName("50%41 #?.txt"))
        let url = try TransferURL("ftp://h/in/").appending(name)
        #expect(url.path == "/in/50%2541%20%23%3F.txt")
        #expect(url.fileName == name)
    }

    @Test(arguments: ["ftp://u:p@h/", "http://:x@h/"])
    func `a password in an address is refused and the sentence says where it belongs`(text: String) {
        #expect { try TransferURL(text) } throws: { "\($0)".contains("netrc") }
    }

    @Test(arguments: [
        "", "h/x", "gopher://h/", "ftp://", "ftp://h:0/", "ftp://h:x/", "ftp://h/a\r\nDELE b", "ftp://@h/",
    ])
    func `what is no address of ours is refused`(text: String) {
        #expect(throws: InvalidURL.self) { try TransferURL(text) }
    }

    @Test func `one origin has one text, which reads back`() throws {
        let url = try TransferURL("FTP://Us%40er@EXAMPLE.org/x")
        #expect(url.origin.description == "ftp://Us%40er@example.org:21")
        #expect(Origin(url.origin.description) == url.origin)
    }

    @Test(arguments: [
        [UInt8]("plain".utf8), Array("back\\slash".utf8), [0xff, 0x41], [0x0a, 0x1b], Array("é\u{301}".utf8),
    ])
    func `escaped text can be turned back`(bytes: [UInt8]) {
        #expect(EscapedText.unescape(EscapedText.escape(bytes)) == bytes)
    }

    @Test func `NFC and NFD are two names`() {
        #expect(FileName("\u{e9}") != FileName("e\u{301}"))
    }

    @Test(arguments: ["", ".", "..", "a/b", String(repeating: "x", count: 256)])
    func `what cannot be the name of a file is none`(text: String) {
        #expect(FileName(text) == nil)
    }

    @Test(arguments: [
        ("/a/b/c", "/a", "b/c"), ("/a", "/a", nil), ("/ab/c", "/a", nil), ("/a/c", "/", "a/c"),
    ])
    func `a path below a directory is relative to it`(path: String, directory: String, expected: String?)
        throws
    {
        let relative = try #require(FilePath(path)).relative(to: #require(FilePath(directory)))
        #expect(relative?.description == expected)
    }

    @Test(arguments: [
        (["ftp://h"], "ftp://h/"), (["h", "*"], "http://h/"),
        (["*.example.com", "*"], "ftp://a.example.com/"),
        (["h:2121", "h"], "ftp://h:2121/"), (["u@h", "h"], "ftp://u@h/"),
    ])
    func `the most specific pattern is the first of each list`(patterns: [String], url: String) throws {
        let origin = try TransferURL(url).origin
        let parsed = patterns.map(Self.pattern)
        #expect(parsed.allSatisfy { $0.matches(origin) })
        #expect(parsed.map(\.specificity) == parsed.map(\.specificity).sorted(by: >))
    }

    static func pattern(_ text: String) -> OriginPattern {
        if text.hasPrefix("ftp://") { return OriginPattern(scheme: .ftp, host: String(text.dropFirst(6))) }
        if text.hasPrefix("u@") { return OriginPattern(user: "u", host: String(text.dropFirst(2))) }
        let parts = text.split(separator: ":")
        return OriginPattern(host: String(parts[0]), port: parts.count > 1 ? Int(parts[1]) : nil)
    }
}
