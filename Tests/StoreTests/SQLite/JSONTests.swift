import Testing
import TransferModel

@testable import TransferStore

/// What is written and read without Foundation is what Foundation would write and read.
@Suite struct JSONTests {
    static let names = ["a", "a b#?;%&'{}[]:,", "ü", "a\"b", "a\\b", "a\u{7f}", "a\nb", "/", "日本", "x/y"]

    private func descriptions(_ text: String) throws -> [JobDescription] {
        let path = try Example.unwrap(FilePath(text))
        let name = try Example.unwrap(FileName(text.replacing("/", with: "-")))
        return [SourceFile.Root.spool, .intake, .inPlace(path)].map {
            .upload(UploadDescription(source: SourceFile(root: $0, path: path, name: name)))
        }
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
