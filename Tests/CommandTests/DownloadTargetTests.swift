import Glibc
import TestServers
import Testing
import TransferModel

@testable import TransferCommand

@Suite("Where a download goes")
struct DownloadTargetSuite {
    private func targets(_ directory: TemporaryDirectory, working: String = "") throws -> DownloadTargets {
        let path = try directory.makeDirectory("state/downloads")
        let other = try directory.makeDirectory("other")
        var places = try places(directory.appending("state"))
        places.downloadDirectories = [try #require(FilePath(path)), try #require(FilePath(other))]
        return DownloadTargets(
            places: places, workingDirectory: try #require(FilePath(directory.appending(working))))
    }

    private func target(_ targets: DownloadTargets, _ url: String, _ place: DownloadPlace = .standard) throws
        -> String
    {
        let found = try targets.descriptions([try TransferURL(url)], to: place)
        return "\(try #require(found.first).directory)|\(try #require(found.first).target)"
    }

    private func file(_ path: String) throws -> DownloadPlace { .file(try #require(FilePath(path))) }

    @Test func `by default it keeps the name in the address, decoded, below the first directory`()
        async throws
    {
        try await withTemporaryDirectory { directory in
            let targets = try targets(directory)
            let root = directory.appending("state/downloads")
            #expect(try target(targets, "http://h/a/b%20c.iso?q=1") == "\(root)|b c.iso")
            #expect(throws: CommandError.self) { try target(targets, "http://h/") }
            #expect(throws: CommandError.self) { try target(targets, "http://h/a%0ab") }
            #expect(throws: CommandError.self) { try target(targets, "http://h/a%2f..%2fb") }
        }
    }

    @Test func `relative paths start where the person is`() async throws {
        try await withTemporaryDirectory { directory in
            let other = directory.appending("other")
            let targets = try targets(directory, working: "other/deep")
            #expect(try target(targets, "http://h/x", try file("y")) == "\(other)|deep/y")
            #expect(try target(targets, "http://h/x", try file("../y")) == "\(other)|y")
            let path = try #require(FilePath("new/dir"))
            #expect(try target(targets, "http://h/x", .directory(path)) == "\(other)|deep/new/dir/x")
        }
    }

    @Test func `a path outside is refused with the key and with a path that would do`() async throws {
        try await withTemporaryDirectory { directory in
            let targets = try targets(directory)
            let allowed = directory.appending("state/downloads/x")
            for path in ["x", "/etc/passwd/x", "other/../x", "state/downloads/../x"] {
                let error = #expect(throws: CommandError.self) {
                    try target(targets, "http://h/x", try file(path))
                }
                #expect(error?.description.contains("download_dirs") == true)
                #expect(error?.description.contains("-o '\(allowed)'") == true)
            }
        }
    }

    @Test func `a symbolic link does not lead out, and one to an allowed directory leads in`() async throws {
        try await withTemporaryDirectory { directory in
            let targets = try targets(directory)
            symlink("/etc", directory.appending("other/out"))
            symlink(directory.appending("other"), directory.appending("in"))
            #expect(throws: CommandError.self) { try target(targets, "http://h/x", try file("other/out/x")) }
            #expect(
                try target(targets, "http://h/x", try file("in/x")) == "\(directory.appending("other"))|x")
        }
    }

    @Test func `a directory is no target, and two addresses are not one file`() async throws {
        try await withTemporaryDirectory { directory in
            let targets = try targets(directory)
            try directory.makeDirectory("other/dir")
            #expect(throws: CommandError.self) { try target(targets, "http://h/x", try file("other/dir")) }
            let urls = [try TransferURL("http://a/x"), try TransferURL("http://b/x")]
            #expect(throws: CommandError.self) {
                try targets.descriptions(urls, to: .standard)
            }
        }
    }
}
