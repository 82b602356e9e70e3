import Testing
import TransferModel

@testable import TransferCommand

/// A command line of UTF-8 words.
func invocation(_ words: String...) throws -> Invocation { try Invocation(words.map { Array($0.utf8) }) }

/// The sentence with which a command line is refused.
func refusal(_ words: String...) throws -> String {
    do {
        let invocation = try Invocation(words.map { Array($0.utf8) })
        Issue.record("taken: \(invocation)")
        return ""
    } catch {
        #expect(error.status == .usage)
        return error.description
    }
}

extension Job {
    /// A job as the table would give it out.
    static func sample(
        _ id: Int64 = 1, url: String = "ftp://host/name", description: JobDescription? = nil,
        state: JobState = .queued(retryAt: nil), offset: Int = 0, limit: Int? = nil, attempts: Int = 0,
        failure: Failure? = nil, reply: Reply? = nil, notBefore: Timestamp? = nil, label: String? = nil
    ) throws -> Job {
        let path = try #require(FilePath("token/0"))
        let source = SourceFile(root: .intake, path: path, name: try #require(FileName("name")))
        let new = NewJob(
            url: try TransferURL(url), description: description ?? .upload(UploadDescription(source: source)),
            label: label, idempotencyKey: "key", notBefore: notBefore,
            expiresAt: Timestamp(rawValue: 1_000_000_000), createdAt: Timestamp(rawValue: 0))
        return Job(
            id: JobID(rawValue: id), new: new, state: state, offset: ByteCount(offset),
            limit: limit.map { ByteCount($0) }, attempts: attempts, lastFailure: failure, reply: reply)
    }
}

func places(_ directory: String) throws -> Places { Places(below: try #require(FilePath(directory))) }
