import Testing
import TransferModel

@testable import TransferEngine

@Suite struct `Replies of FTP servers` {
    private func log(_ lines: [String]) -> ReplyLog {
        var log = ReplyLog()
        for line in lines { log.take(Array((line + "\r\n").utf8)) }
        return log
    }

    @Test func `a reply of several lines ends with its code and a blank`() {
        let log = log(["220-Welcome", "221 not yet", " 220 nor this", "220 End", "331 Password"])
        #expect(log.codes == [220, 331])
        #expect(
            String(decoding: log.entries[0].text, as: UTF8.self)
                == "Welcome / 221 not yet /  220 nor this / End")
    }

    @Test func `what a server says to the farewell does not hide what it refused`() {
        #expect(log(["230 In", "553 No such directory", "221 Bye"]).code == 553)
        #expect(log(["230 In", "221 Bye"]).code == 221)
    }

    @Test func `a server that says too much is cut`() {
        let log = log(
            ["220-x"] + Array(repeating: String(repeating: "a", count: 70_000), count: 10) + ["220 End"])
        #expect(log.code == 220)
        #expect(log.text.count < 3 * ReplyLog.longest)
    }

    @Test(arguments: [
        ("213 4096", RemoteFile.size(4_096)), ("213 x", .unknown), ("550 No", .absent),
        ("502 What", .unknown), ("550 Permission denied.", .unknown),
        ("550 in/f: Operation not permitted", .unknown), ("550 denied.txt: No such file", .absent),
    ]) func `a reply to SIZE is a size, or says that there is none`(line: String, size: RemoteFile) throws {
        #expect(RemoteFile(size: try #require(log([line]).entries.last)) == size)
    }

    @Test func `text from outside is escaped and cut`() {
        let text = ForeignText.clean([0x1b, 0x5b] + Array(repeating: 0x61, count: 70_000))
        #expect(text.hasPrefix("\\x1b[aaa"))
        #expect(text.utf8.count < 520)
    }
}

@Suite struct `Where an upload goes` {
    private func job(_ url: String, id: Int64 = 12) throws -> Job {
        let name = try #require(FileName("f"))
        let source = SourceFile(root: .spool, path: FilePath(name), name: name)
        let new = NewJob(
            url: try TransferURL(url), description: .upload(UploadDescription(source: source)),
            idempotencyKey: "0a1b2c3d-4e5f", expiresAt: Timestamp(rawValue: 0),
            createdAt: Timestamp(rawValue: 0))
        return Job(id: JobID(rawValue: id), new: new, state: .running(since: Timestamp(rawValue: 0)))
    }

    private func place(_ url: String, id: Int64 = 12, name: String? = nil) throws -> UploadPlace {
        var wishes = DeliveryWishes()
        wishes.temporaryName = try name.map { try TemporaryName($0) }
        return try UploadPlace(job(url, id: id), DeliveryPlan(wishes, scheme: .ftp), size: 7)
    }

    @Test func `the temporary file stands beside the target and carries the job's number`() throws {
        let place = try place("ftp://h/a/b%20c/file.txt")
        #expect(place.temporary.bytes == Array("a/b c/.file.txt.12.0a1b2c3d.part".utf8))
        #expect(
            place.final.address(at: try TransferURL("ftp://h").origin) == "ftp://h:21/a/b%20c/file.txt")
        #expect(place.final.parents.map(\.bytes) == [Array("a".utf8), Array("a/b c".utf8)])
    }

    @Test(arguments: [
        ("{stem}.{id}.{ext}", "a/file.12.txt"), ("tmp/{name}.{id}", "a/tmp/file.txt.12"),
        ("/in/{id}-{size}", "/in/12-7"), ("off", "a/file.txt"), ("x//y/{id}", "a/x/y/12"),
    ])
    func `a temporary name is what its pattern says`(pattern: String, path: String) throws {
        let place = try place("ftp://h/a/file.txt", name: pattern)
        #expect(place.temporary.bytes == Array(path.utf8))
        #expect(place.isDirect == (pattern == "off"))
    }

    @Test(arguments: [nil, "{id}{name}", "t/{stem}.{id}", "{name}{name}.{id}"])
    func `a long name is cut between its characters, not inside one`(pattern: String?) throws {
        let place = try place("ftp://h/" + String(repeating: "é", count: 127), name: pattern)
        let name = try #require(place.temporary.names.last)
        #expect(name.count <= 255)
        #expect(String(validating: name, as: UTF8.self) != nil)
    }

    @Test func `a home directory is not meant by a name with a tilde`() throws {
        let place = try place("ftp://h/~anna/x")
        #expect(place.final.bytes == Array("./~anna/x".utf8))
        #expect(place.final.parents.map(\.bytes) == [Array("./~anna".utf8)])
    }

    @Test(arguments: [
        ("a.txt", "a-3.txt"), ("a.tar.gz", "a.tar-3.gz"), (".profile", ".profile-3"), ("a.", "a.-3"),
        (String(repeating: "x", count: 255), String(repeating: "x", count: 253) + "-3"),
    ]) func `a free name has its number before the extension`(name: String, numbered: String) {
        #expect(NameParts(Array(name.utf8)).numbered(3) == FileName(numbered))
    }
}
