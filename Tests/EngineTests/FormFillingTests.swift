import Glibc
import TestServers
import Testing
import TransferModel

@testable import TransferEngine

@Suite struct FormTemplates {
    private let types = MediaTypes(mimeTypes: "image/jpeg jpg JPEG\ntext/plain txt # comment\n")

    /// A route's job for a file of that name, created at noon UTC on 2031-05-28.
    private func job(_ url: String, name: [UInt8], _ change: (inout RouteSettings) -> Void) throws -> Job {
        var route = RouteSettings(name: "scans", kind: .form, url: try TransferURL(url))
        change(&route)
        let name = try #require(FileName(bytes: name))
        let source = SourceFile(root: .spool, path: FilePath(name), name: name)
        let created = try #require(CalendarTime(year: 2031, month: 5, day: 28, hour: 12).timestamp)
        let new = route.job(
            for: source, size: ByteCount(7), key: "abc-def-123456", now: created, expires: .seconds(60))
        return Job(id: JobID(rawValue: 42), new: new, state: .queued(retryAt: nil))
    }

    private func filling(_ job: Job, headers: [String] = [], modified: Int64 = 0) throws -> FormFilling {
        guard case .form(var form) = job.description else { throw TestServerError("no form") }
        form.headers = headers.compactMap { HeaderField($0) }
        let name = form.parts.compactMap(\.file).first?.name.bytes ?? []
        let values = TemplateValues(
            job: job, final: RemotePath(isAbsolute: false, names: [name]), size: 7, modified: modified,
            sha256: "5e")
        return FormFilling(form: form, types: types, values: form.hasTemplates == true ? values : nil)
    }

    private func texts(_ filling: FormFilling) throws -> [String] {
        try filling.parts().map { part in
            switch part.content {
            case .text(let text, _): String(decoding: text, as: UTF8.self)
            case .file(_, let filename, _): String(decoding: filename, as: UTF8.self)
            }
        }
    }

    @Test func `every placeholder of a route is filled in`() throws {
        let field = "{name}|{stem}|{ext}|{size}|{sha256}|{mtime}|{mtime:%s}|{route}|{id}|{key}|{{}}"
        let job = try job("http://h/in/{name}?d={date:%Y/%m}&id={id}", name: Array("a b.JPG".utf8)) {
            $0.fields = [.init(name: "all", value: field), .init(name: "day", value: "{date}")]
            $0.filename = FileName("{stem}-{date:%Y%m%d}.{ext}")
        }
        let filling = try filling(
            job, headers: ["X-Sum: sha256={sha256}", "X-Of-The-Origin: {", "X-Of-The-Origin: {}"],
            modified: 1_500_000_000_999_999_999)
        #expect(
            try texts(filling) == [
                "a b.JPG|a b|JPG|7|5e|1500000000|1500000000|scans|42|abcdef12|{}", "2031-05-28",
                "a b-20310528.JPG",
            ])
        #expect(try filling.headers().map(\.value) == ["sha256=5e", "{", "{}"])
        #expect(try filling.url(job.url).description == "http://h/in/a%20b.JPG?d=2031%2F05&id=42")
        #expect(FormFilling.needsSHA256(filling.form, at: job.url))
    }

    @Test func `a name that is no text stays bytes, and can break no header`() throws {
        let job = try job("http://h/", name: [0xe9, 0x0a, UInt8(ascii: "x")]) {
            $0.fields = [.init(name: "n", value: "{name}")]
        }
        let filling = try filling(job, headers: ["X-Name: {name}"])
        #expect(try filling.parts().first?.content == .text([0xe9, 0x0a, UInt8(ascii: "x")], type: nil))
        #expect(try filling.headers().map(\.value) == ["%E9%0Ax"])
    }

    @Test func `without a brace nothing is a template, and of a job from the command line nothing ever is`()
        throws
    {
        let job = try job("http://h/", name: Array("x".utf8)) { $0.fields = [.init(name: "n", value: "%Y")] }
        #expect(try filling(job).values == nil)
        let form = FormDescription(parts: [FormPart(name: "n", content: .text("{name} { }}"))])
        let plain = FormFilling(form: form, types: types, values: nil)
        #expect(try texts(plain) == ["{name} { }}"])
    }

    @Test func `a filename that is no name of a file is a permanent failure`() throws {
        let job = try job("http://h/", name: Array("x".utf8)) { $0.filename = FileName("{ext}") }
        let filling = try filling(job)
        #expect { _ = try filling.parts() } throws: { ($0 as? Failure)?.class == .permanent }
    }

    @Test func `types are guessed from the name that is sent`() throws {
        let table: [(name: [UInt8], type: String)] = [
            (Array("a.jpg".utf8), "image/jpeg"), (Array("A.B.JpEg".utf8), "image/jpeg"),
            (Array(".txt".utf8), MediaTypes.unknown), (Array("txt".utf8), MediaTypes.unknown),
            (Array("a.".utf8), MediaTypes.unknown), ([0xe9] + Array(".txt".utf8), "text/plain"),
            (Array("a.comment".utf8), MediaTypes.unknown),
        ]
        for (name, type) in table { #expect(types.type(of: name) == type) }
        let globs = MediaTypes(
            globs: "# c\n80:application/x-tgz:*.tar.gz\n50:application/gzip:*.gz\n50:a/b:*.[x]\n10:x/y:*.gz\n"
        )
        #expect(globs.type(of: Array("a.TAR.gz".utf8)) == "application/x-tgz")
        #expect(globs.type(of: Array("a.b.gz".utf8)) == "application/gzip")
        #expect(globs.type(of: Array("a.[x]".utf8)) == MediaTypes.unknown)
    }

    @Test func `a route's form tells the digest of what is sent`() async throws {
        try await withTemporaryDirectory { directory in
            let server = try ScriptedHTTPServer { _ in .text("thanks") }
            let rig = try LaneRig(directory, url: server.url)
            let source = try rig.source(.pattern(400_000), name: Array("scan.jpg".utf8))
            var route = RouteSettings(name: "scans", kind: .form, url: try TransferURL("\(server.url)/{id}"))
            route.fields = [.init(name: "sum", value: "{sha256} {size}")]
            let new = route.job(
                for: source, size: ByteCount(400_000), key: "k", now: Timestamp(rawValue: 0),
                expires: .seconds(60))
            let job = Job(
                id: JobID(rawValue: 7), new: new, state: .running(since: Timestamp(rawValue: 0)))
            #expect(await rig.run(job).hasArrived)
            let request = try #require(server.requests.first)
            #expect(request.target == "/7")
            let body = String(decoding: request.body.prefix(400), as: UTF8.self)
            #expect(body.contains("\r\n\r\n\(TestContent.pattern(400_000).sha256) 400000\r\n"))
        }
    }
}
