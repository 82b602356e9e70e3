import TestServers
import Testing
import TransferModel

@testable import TransferEngine

@Suite("Names that servers tell") struct RemoteNameTests {
    private static func name(_ field: String) -> String? {
        ContentDisposition(field).flatMap { HarmlessName.of($0.name) }.map {
            String(decoding: $0.bytes, as: UTF8.self)
        }
    }

    @Test(
        arguments: [
            (#"attachment; filename="a b.txt""#, "a b.txt"), ("attachment;filename=a.txt", "a.txt"),
            (#"inline; FILENAME = "a;b=c.txt"; x=y"#, "a;b=c.txt"), (#"filename="a.txt""#, "a.txt"),
            (#"attachment; filename="a\"b\\c.txt""#, "c.txt"), (#"attachment; filename="a\"b""#, #"a"b"#),
            (#"attachment; filename="old.txt"; filename*=UTF-8''%e2%82%ac%20rates.txt"#, "€ rates.txt"),
            ("attachment; filename*=iso-8859-1'en'%a3.txt; filename=x", "£.txt"),
            ("attachment; filename*=UTF-8''%ff.txt; filename=good.txt", "good.txt"),
            ("attachment; filename*=koi8-r''%c1.txt; filename=good.txt", "good.txt"),
            ("attachment; filename*=broken; filename=good.txt", "good.txt"), ("attachment", nil),
            ("attachment; filename", nil), (#"attachment; filename="""#, nil), (";;;=;", nil),
            (#"attachment; filename="open"#, "open"),
        ] as [(String, String?)])
    func `the name is read as browsers read it`(field: String, expected: String?) {
        #expect(Self.name(field) == expected)
    }

    private static let told: [(String, String?)] = [
        ("../../etc/passwd", "passwd"), ("/etc/cron.d/x", "x"), (#"C:\Windows\x.exe"#, "x.exe"),
        (#"..\..\x"#, "x"), ("..", nil), (".", nil), ("", nil), ("/", nil), ("a/", nil), ("...", nil),
        (".bashrc", "bashrc"), (".../.ssh", "ssh"), ("a\u{0}b\r\nc\u{1b}.txt", "abc.txt"),
        ("\u{9b}31m.txt", "31m.txt"),
        ("exe.\u{202e}txt", "exe.txt"), ("  x .txt . ", "x .txt"), ("\u{fffd}.txt", "_.txt"),
        ("-rf", "-rf"),
        ("NUL", "_NUL"), ("com1.txt", "_com1.txt"), ("console.txt", "console.txt"),
        ("%2e%2e%2fx", "%2e%2e%2fx"),
        ("ü.txt", "ü.txt"),
    ]

    /// Not a case for each: their names would be printed, and some of them move a terminal's cursor.
    @Test func `a name is made harmless, or is none`() {
        for (told, expected) in Self.told {
            let name = HarmlessName.of(Array(told.utf8))
            #expect(name.map { String(decoding: $0.bytes, as: UTF8.self) } == expected)
        }
    }

    @Test func `a long name keeps its extension and whole characters`() throws {
        let name = try #require(HarmlessName.of(Array((String(repeating: "ü", count: 200) + ".tar").utf8)))
        #expect(name.bytes.count <= 255)
        #expect(name.bytes.suffix(4).elementsEqual(".tar".utf8))
        #expect(String(validating: name.bytes, as: UTF8.self) != nil)
    }

    @Test(
        arguments: [
            (#"attachment; filename="../../told.txt""#, "told.txt"), ("attachment", "target"),
            (nil, "target"),
            (#"attachment; filename="..""#, "target"),
        ] as [(String?, String)])
    func `a download gets the server's name where that is asked for`(field: String?, name: String)
        async throws
    {
        try await withTemporaryDirectory { directory in
            let server = try ScriptedHTTPServer { _ in
                .text("content", headers: field.map { [HTTPHeader("Content-Disposition", $0)] } ?? [])
            }
            let rig = try LaneRig(directory, url: server.url)
            let ended = await rig.run(
                try rig.download("\(server.url)/x") {
                    $0.fetch = FetchWishes()
                    $0.fetch?.takesServerName = true
                })
            #expect(ended.hasArrived, "\(ended)")
            #expect(try rig.downloads() == [name])
            #expect(ended.arrival?.digest == (name == "target" ? nil : "saved as told.txt"))
            #expect(await rig.run(try rig.download("\(server.url)/x", to: "own")).hasArrived)
            #expect(try rig.downloads().contains("own"))
        }
    }

    @Test func `a resumed download keeps the name that was told at its beginning`() async throws {
        try await withTemporaryDirectory { directory in
            let content = TestContent.pattern(300_000)
            let server = try ScriptedHTTPServer { request in
                var answer = HTTPBehaviour.object(content, for: request, etag: "\"v\"")
                if request.index == 0 {
                    answer.headers.append(HTTPHeader("Content-Disposition", "attachment; filename=told"))
                    answer.cutAfter = 200_000
                    answer.ending = .resets
                }
                return answer
            }
            let rig = try LaneRig(directory, url: server.url)
            let job = try rig.download("\(server.url)/x") {
                $0.fetch = FetchWishes()
                $0.fetch?.takesServerName = true
            }
            let progress = Progress()
            let cut = await rig.run(job, progress: progress)
            #expect(cut.failure?.class == .temporary, "\(cut)")
            let next = rig.next(job, after: cut, offset: Int(progress.offset.rawValue))
            #expect(await rig.run(next).hasArrived)
            #expect(try rig.downloads() == ["told"])
            #expect(try TestFile.read(rig.downloaded("told")) == content.bytes)
        }
    }
}
