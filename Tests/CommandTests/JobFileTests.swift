import Testing
import TransferModel

@testable import TransferCommand

@Suite("Job files")
struct JobFileSuite {
    private func file(_ text: String, _ options: OrderOptions = OrderOptions()) throws -> JobFile {
        try JobFile(Array(text.utf8), file: "'j'", options: options)
    }

    private func refusal(_ text: String) -> String {
        do {
            _ = try file(text)
            Issue.record("taken: \(text)")
            return ""
        } catch {
            return CommandError(error).description
        }
    }

    private func path(_ text: String) throws -> FilePath { try #require(FilePath(text)) }

    @Test func `a form has its fields in order, names repeated`() throws {
        let file = try file(
            #"""
            {"kind": "form", "url": "https://h/in", "headers": ["X-A: 1"], "unknown": "retry", "priority": -2,
             "label": "two", "expires": "+1h",
             "fields": [["f[]", "a"], ["f[]", "@b;type=c"], ["n", 1.50], ["@up", "-"], ["\u00e9\ud83d\ude00", ""],
              {"name": "@x", "value": "{}", "type": "application/json"},
              {"name": "y", "file": "/p q", "type": "text/plain", "filename": "z", "filename*": "utf-8",
               "headers": ["X-B: 2"]}]}
            """#)
        let headers = try [#require(HeaderField("X-A: 1"))]
        let fields = [
            FormField(name: "f[]", content: .text("a")), FormField(name: "f[]", content: .text("@b;type=c")),
            FormField(name: "n", content: .text("1.50")),
            FormField(name: "up", content: .file(.standardInput)),
            FormField(name: "é😀", content: .text("")),
            FormField(name: "@x", content: .text("{}", type: "application/json")),
            FormField(
                name: "y",
                content: .file(.file(try path("/p q")), type: "text/plain", filename: FileName("z")),
                headers: try [#require(HeaderField(ofPart: "X-B: 2"))], hasEncodedFilename: true),
        ]
        #expect(
            file.entries.map(\.order) == [
                .form(try TransferURL("https://h/in"), fields, headers: headers, unknown: .retry)
            ])
        let options = try #require(file.entries.first?.options)
        #expect(options.priority == -2)
        #expect(options.label == "two")
        #expect(options.expires == .after(.seconds(3600)))
    }

    @Test func `fields may be an object, whose order and repeated names count`() throws {
        let file = try file(
            #"{"kind":"form","url":"http://h/","fields":{"b":"1","a":["2","3"],"b":"4","@f":["x","y"]}}"#)
        guard case .form(_, let fields, _, _, _) = try #require(file.entries.first).order else { return }
        #expect(fields.map(\.name) == ["b", "a", "a", "b", "f", "f"])
        #expect(fields.last?.content == .file(.file(try path("y"))))
    }

    @Test func `uploads and downloads are described too, one a line or in a list`() throws {
        let digest = "sha256:" + String(repeating: "ab", count: 32)
        let upload =
            #"{"kind":"upload","url":"ftp://h/d/","file":"a","options":{"on_conflict":"fail","before":["NOOP","X"]}}"#
        let download =
            #"{"kind":"download","url":"https://h/x","output":"o","checksum":"\#(digest)","directory":null}"#
        var terms = DownloadTerms()
        terms.checksums = [try #require(Checksum(digest))]
        var common = OrderOptions()
        common.label = "common"
        for text in ["\(upload)\n\(download)\n", "\u{feff}[\(upload),\n \(download)]"] {
            let file = try file(text, common)
            var wishes = JobWishes()
            wishes.delivery.onConflict = .fail
            wishes.delivery.before = [try NameTemplate("NOOP"), try NameTemplate("X")]
            #expect(
                file.entries.map(\.order) == [
                    .upload([.file(try path("a"))], to: try TransferURL("ftp://h/d/"), wishes),
                    .download(
                        [try TransferURL("https://h/x")], to: .file(try path("o")), terms),
                ])
            #expect(file.entries.map(\.options.label) == ["common", "common"])
        }
    }

    @Test func `a download in a file has all that the command line has`() throws {
        let sum = String(repeating: "ab", count: 20)
        let file = try file(
            #"{"kind":"download","url":"https://h/d/x","checksum":["\#(sum)"],"checksum_url":"x.sha1","#
                + #""mirrors":["https://i/x"],"options":{"if_newer":"yes","remote_name":"yes"}}"#)
        var terms = DownloadTerms()
        terms.checksums = [try #require(Checksum("sha1:\(sum)"))]
        terms.checksumList = "x.sha1"
        terms.mirrors = [try TransferURL("https://i/x")]
        var wishes = JobWishes()
        wishes.fetch.isForNewer = true
        wishes.fetch.takesServerName = true
        #expect(
            file.entries.map(\.order) == [
                .download([try TransferURL("https://h/d/x")], to: .standard, terms, wishes)
            ])
        let wrong = #"{"kind":"download","url":"https://h/x","checksum":"\#(sum)0"}"#
        #expect(refusal(wrong).contains("as many hexadecimal digits"))
        #expect(
            refusal(#"{"kind":"download","url":"https://h/x","checksum":5}"#)
                == "'j', line 1, checksum: expected a text in double quotes")
        #expect(
            refusal(#"{"kind":"download","url":"https://h/x","mirrors":["ftp://h/x"]}"#).contains("--mirror"))
    }

    @Test(arguments: [
        ("", "'j' describes no job"), ("[]", "'j' describes no job"),
        ("{\"kind\": \"form\",\n}", "'j', line 2: a ',' stands before '}'"),
        ("{\"kind\" \"form\"}", "'j', line 1: expected ':' after \"kind\""),
        ("{\"kind\": form}", "'j', line 1: 'form' is no value of JSON"),
        ("{\"kind\": 01}", "'01' is no value of JSON"), ("{\"kind\": \"a\nb\"}", "a line break"),
        ("{\"a\": \"\\x\"}", "a backslash stands before none of"),
        ("{\"a\": \"\\ud800\"}", "half a \\u pair"),
        ("{\"a\": \"", "no closing double quote"), ("[", "the text ends"),
        ("\n[1]", "'j', line 2, [0]: expected an object in braces"), ("{}", "'j', line 1: 'kind' is missing"),
        ("{\"kind\": \"x\"}", "'j', line 1, kind: expected upload, form or download"),
        ("{\"kind\":\"upload\",\"url\":\"ftp://h/\"}", "'j', line 1: 'file' is missing"),
        (
            "{\"kind\":\"form\",\n\"url\":\"ftp://h/\",\"fields\":[]}",
            "'j', line 2, url: 'enqueue form' takes"
        ),
        (
            "{\"kind\":\"form\",\"url\":\"http://h/\",\"field\":[]}",
            "line 1, field: it is no key here; did you mean 'fields'?"
        ),
        ("{\"kind\":\"form\",\"kind\":\"form\"}", "line 1, kind: it stands here a second time"),
        (
            "[{\"kind\":\"form\",\"url\":\"http://h/\",\n\"fields\":[[\"a\",\"b\"],\n[\"a\"]]}]",
            "'j', line 3, [0].fields[1]: expected a name and a value"
        ),
        (
            "{\"kind\":\"form\",\"url\":\"http://h/\",\"fields\":[[\"a\",true]]}",
            "fields[0][1]: expected a text"
        ),
        (
            "{\"kind\":\"form\",\"url\":\"http://h/\",\"fields\":[{\"name\":\"a\",\"file\":\"b\",\"type\":\"x\"}]}",
            "fields[0].type: expected a media type"
        ),
        (
            "{\"kind\":\"form\",\"url\":\"http://h/\",\"fields\":[{\"name\":\"a\",\"file\":\"b\",\"headers\":[\"X: \\r\\nY: 1\"]}]}",
            "fields[0].headers[0]: expected 'Name: value'"
        ),
        (
            "{\"kind\":\"form\",\"url\":\"http://h/\",\"fields\":[]}",
            "fields: a form needs at least one field"
        ),
        (
            "{\"kind\":\"form\",\"url\":\"http://h/\",\"fields\":{\"a\":\"b\"},\"headers\":[\"Host: x\"]}",
            "headers[0]: --header cannot set host"
        ),
        (
            "{\"kind\":\"upload\",\"url\":\"ftp://h/\",\"file\":\"a\",\"options\":{\"verify\":\"x\"}}",
            "options: 'verify': expected"
        ),
        (
            "{\"kind\":\"download\",\"url\":\"http://h/x\",\"output\":\"a\",\"directory\":\"b\"}",
            "exclude each other"
        ),
    ])
    func `what is wrong is said with its line and its keys`(text: String, part: String) {
        let sentence = refusal(text)
        #expect(sentence.contains(part), "\(sentence)")
    }

    @Test func `--from says everything`() throws {
        #expect(
            try invocation("enqueue", "--from", "-", "--json").command
                == .enqueue(.jobs(from: .standardInput), OrderOptions(json: true)))
        #expect(try CommandTests.refusal("enqueue", "--from", "x", "form").contains("has no place beside it"))
        #expect(try CommandTests.refusal("enqueue", "--from", "x", "-F", "a=b").contains("-F has no place"))
    }
}
