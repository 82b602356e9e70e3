import Glibc
import TestServers
import Testing
import TransferModel

@testable import TransferEngine

@Suite struct FormBodies {
    private static let boundary = FormBoundary("XX")

    private func file(_ name: String) throws -> SourceFile {
        SourceFile(root: .intake, path: try #require(FilePath(name)), name: try #require(FileName(name)))
    }

    private func source(_ path: String) throws -> FormBodyReader.Source {
        let file = OpenFile(descriptor: open(path, O_RDONLY), path: try #require(FilePath(path)))
        return .init(file: file, identity: try file.identity())
    }

    private func filled(_ parts: [FormPart]) throws -> [FilledPart] {
        let types = MediaTypes(mimeTypes: "text/plain txt")
        return try FormFilling(form: FormDescription(parts: parts), types: types, values: nil).parts()
    }

    /// The body in buffers of `size` bytes; the seal is given when only the closing delimiter is left.
    private func read(_ reader: inout FormBodyReader, size: Int) throws -> [UInt8] {
        var bytes: [UInt8] = []
        while !reader.isFinished {
            var buffer = [UInt8](repeating: 0, count: size)
            let count = try buffer.withUnsafeMutableBytes { try reader.read(into: $0) }
            bytes += buffer.prefix(count)
            if reader.awaitsSeal {
                try reader.verify()
                #expect(bytes.count == Int(reader.body.length) - reader.body.closing.count)
                reader.seal()
            }
        }
        return bytes
    }

    @Test func `parts stand in order and repeated names are kept`() throws {
        let parts = [
            FormPart(name: "f[]", content: .text("a")),
            FormPart(name: "f[]", content: .text("@b;type=x (<")),
        ]
        let body = try FormBody(parts: try filled(parts), sizes: [], boundary: Self.boundary)
        var reader = FormBodyReader(body: body, sources: [])
        let bytes = try read(&reader, size: 4096)
        let text = """
            --XX\r\nContent-Disposition: form-data; name="f[]"\r\n\r\na\r
            --XX\r\nContent-Disposition: form-data; name="f[]"\r\n\r\n@b;type=x (<\r\n--XX--\r\n
            """
        #expect(String(decoding: bytes, as: UTF8.self) == text)
        #expect(body.length == Int64(bytes.count))
    }

    @Test func `names are escaped as browsers do and other bytes stay`() throws {
        let name = try #require(FileName(bytes: Array("a\"b\\c%d".utf8) + [0xff, 0x0a]))
        let part = FormPart(
            name: "x\"\r\né", content: .file(try file("s"), type: nil, filename: name))
        let body = try FormBody(parts: try filled([part]), sizes: [0], boundary: Self.boundary)
        let disposition =
            Array("--XX\r\nContent-Disposition: form-data; name=\"x%22%0D%0Aé\"; filename=\"a%22b\\c%d".utf8)
            + [0xff] + Array("%0A\"\r\nContent-Type: application/octet-stream\r\n\r\n".utf8)
        #expect(body.segments.first == .bytes(disposition))
    }

    @Test func `a type with a line end is refused`() throws {
        let part = FormPart(
            name: "x", content: .file(try file("s"), type: "a/b\r\nX: y", filename: nil))
        #expect(throws: Failure.self) {
            _ = try FormBody(parts: try filled([part]), sizes: [0], boundary: Self.boundary)
        }
    }

    @Test func `a part's head has its type, the encoded name where it is asked for, and fields of its own`()
        throws
    {
        let name = try #require(FileName("na me\"é.txt"))
        let header = try #require(HeaderField(ofPart: "X-Part: 1"))
        let parts = [
            FormPart(name: "j", content: .text("{}", type: "application/json")),
            FormPart(
                name: "f", content: .file(try file("s"), filename: name), headers: [header],
                hasEncodedFilename: true),
        ]
        let heads = try filled(parts).map { String(decoding: try $0.head(), as: UTF8.self) }
        #expect(
            heads == [
                "Content-Disposition: form-data; name=\"j\"\r\nContent-Type: application/json\r\n\r\n",
                "Content-Disposition: form-data; name=\"f\"; filename=\"na me%22é.txt\"; "
                    + "filename*=UTF-8''na%20me%22%C3%A9.txt\r\nContent-Type: text/plain\r\nX-Part: 1\r\n\r\n",
            ])
        #expect(HeaderField(ofPart: "Content-Type: x/y") == nil)
        #expect(HeaderField(ofPart: "X: a\r\nY: b") == nil)
    }

    @Test(arguments: [1, 13, 64, 1000, 100_000])
    func `whatever the buffers the bytes are the same and the closing line waits for the seal`(
        size: Int
    ) async throws {
        try await withTemporaryDirectory { directory in
            let content = TestContent.pattern(5_000).bytes
            let path = try directory.write(content, to: "source")
            let parts = [
                FormPart(name: "a", content: .text("1")),
                FormPart(name: "b", content: .file(try file("s"), type: "text/plain", filename: nil)),
            ]
            let body = try FormBody(parts: try filled(parts), sizes: [5_000], boundary: Self.boundary)
            var reader = FormBodyReader(body: body, sources: [try source(path)])
            let bytes = try read(&reader, size: size)
            #expect(Int64(bytes.count) == body.length)
            #expect(bytes.suffix(5_010).prefix(5_000) == content[...])
        }
    }

    @Test func `a file that changed gives no whole body`() async throws {
        try await withTemporaryDirectory { directory in
            let changes: [(String) throws -> Void] = [
                { path in _ = truncate(path, 10) },
                { path in try TestFile.write(TestContent.pattern(6_000).bytes, to: path) },
            ]
            for change in changes {
                let path = try directory.write(TestContent.pattern(5_000).bytes, to: "source")
                let parts = [FormPart(name: "b", content: .file(try file("s"), type: nil, filename: nil))]
                let body = try FormBody(parts: try filled(parts), sizes: [5_000], boundary: Self.boundary)
                var reader = FormBodyReader(body: body, sources: [try source(path)])
                try change(path)
                #expect(throws: Failure.self) { _ = try read(&reader, size: 1_000) }
                #expect(!reader.isFinished)
            }
        }
    }

    @Test func `a file that is not what the form says of it gives no whole body`() async throws {
        try await withTemporaryDirectory { directory in
            let path = try directory.write(Array("content".utf8), to: "source")
            let parts = try filled([FormPart(name: "b", content: .file(try file("s")))])
            let body = try FormBody(parts: parts, sizes: [7], boundary: Self.boundary)
            for (digest, isRight) in [(sha256(Array("content".utf8)), true), (sha256([]), false)] {
                var source = try source(path)
                source.sha256 = digest
                var reader = FormBodyReader(body: body, sources: [source])
                if isRight {
                    #expect(try read(&reader, size: 3).count == Int(body.length))
                } else {
                    #expect(throws: Failure.self) { _ = try read(&reader, size: 3) }
                    #expect(!reader.isFinished)
                }
            }
        }
    }

    @Test func `every boundary is another one`() {
        let boundaries = Set((0..<100).map { _ in FormBoundary.random().text })
        #expect(boundaries.count == 100)
        #expect(boundaries.allSatisfy { $0.utf8.count <= 70 })
    }
}
