import Testing
import TransferModel

@testable import TransferStore

/// What is written and read without Foundation is what Foundation would write and read.
@Suite struct JSONTests {
    static let names = ["a", "a b#?;%&'{}[]:,", "ü", "a\"b", "a\\b", "a\u{7f}", "a\nb", "/", "日本", "x/y"]

    private func descriptions(_ text: String) throws -> [JobDescription] {
        let path = try Example.unwrap(FilePath(text))
        let name = try Example.unwrap(FileName(text.replacing("/", with: "-")))
        let files = [SourceFile.Root.spool, .intake, .inPlace(path)].map {
            SourceFile(root: $0, path: path, name: name)
        }
        return files.map { .upload(UploadDescription(source: $0)) } + forms(text, files) + [
            .download(DownloadDescription(directory: path, target: path)),
            .download(
                DownloadDescription(directory: path, target: path, mirrors: [try TransferURL("http://h/")])),
        ]
    }

    private func forms(_ text: String, _ files: [SourceFile]) -> [JobDescription] {
        let parts = files.map { FormPart(name: text, content: .file($0)) }
        let field = FormPart(name: text, content: .text(text))
        let special = [
            FormPart(name: text, content: .text(text, type: "text/plain")),
            FormPart(name: text, content: .file(files[0], filename: files[0].name)),
            FormPart(name: text, content: .text(text), headers: [HeaderField("X-A: b")].compactMap(\.self)),
            FormPart(name: text, content: .file(files[0]), hasEncodedFilename: true),
        ]
        let plain = [[], [field], parts, [field] + parts + [field]].map { FormDescription(parts: $0) }
        return
            (plain + special.map { FormDescription(parts: [field, $0]) } + [
                FormDescription(parts: [field], hasTemplates: true),
                FormDescription(parts: [field], unknownOutcome: .retry),
            ]).map { .form($0) }
    }

    @Test(arguments: names)
    func `a description is the text that a JSON encoder makes, and comes back`(text: String) throws {
        for description in try descriptions(text) {
            let json = try description.json()
            #expect(try json == JSONText.encode(description))
            #expect(JobDescription(json: Array(json.utf8)) == description)
        }
    }

    @Test(arguments: names)
    func `a checkpoint is the text that a JSON encoder makes`(text: String) throws {
        var checkpoint = Checkpoint()
        checkpoint.source = FileIdentity(device: .max, inode: 1, size: ByteCount(5), modified: .min)
        checkpoint.remoteTemporary = FilePath(text)
        checkpoint.verified = ByteCount(5)
        #expect(try checkpoint.json() == JSONText.encode(checkpoint))
        checkpoint.validator = Checkpoint.Validator(entityTag: "x")
        #expect(try checkpoint.json() == JSONText.encode(checkpoint))
    }

    @Test(arguments: names, [0, 1, 2, 3])
    func `a download's checkpoint is the text that a JSON encoder makes`(text: String, texts: Int) throws {
        var checkpoint = Checkpoint()
        let name = try Example.unwrap(FileName(".\(text.replacing("/", with: "-")).7.part"))
        checkpoint.localTemporary = Checkpoint.LocalTemporary(name: name, device: .max, inode: 1)
        checkpoint.validator = Checkpoint.Validator(
            entityTag: texts > 0 ? "W/\"\(text)\"" : nil, lastModified: texts > 1 ? text : nil,
            date: texts > 2 ? text : nil, total: texts > 0 ? ByteCount(5) : nil)
        #expect(try checkpoint.json() == JSONText.encode(checkpoint))
        checkpoint.mirror = 1
        #expect(try checkpoint.json() == JSONText.encode(checkpoint))
    }

    @Test func `a download of an older table keeps its one checksum`() throws {
        let sum = String(repeating: "ab", count: 32)
        let old =
            #"{"download":{"_0":{"checksum":{"algorithm":"sha256","hexadecimal":"\#(sum)"},"#
            + #""directory":"/srv","target":"x"}}}"#
        guard case .download(let download) = JobDescription(json: Array(old.utf8)) else {
            Issue.record("it is not read")
            return
        }
        #expect(download.checksums == [Checksum(algorithm: .sha256, hexadecimal: sum)])
        let json = try JobDescription.download(download).json()
        #expect(JobDescription(json: Array(json.utf8)) == .download(download))
    }

    @Test func `the empty checkpoint is none`() throws { #expect(try Checkpoint().json() == nil) }

    @Test(arguments: [
        "", "{}", #"{"upload":{"_0":{"source":{"name":"a"#,
        #"{"upload":{"_0":{"source":{"name":"a","path":"a","root":{"spool":{}}}}}"#,
        #"{"upload":{"_0":{"source":{"name":"a/b","path":"a","root":{"spool":{}}}}}}"#,
        #"{"upload":{"_0":{"source":{"name":"","path":"a","root":{"spool":{}}}}}}"#,
        #"{"upload":{"_0":{"source":{"name":"a","path":"a","root":{"other":{}}}}}}"#,
        #"{"upload":{"_0":{"source":{"name":"a","path":"a","root":{"spool":{}}}}}}x"#,
    ])
    func `a text that describes no job is none`(json: String) {
        #expect(JobDescription(json: Array(json.utf8)) == nil)
    }
}
