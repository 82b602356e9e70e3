import Glibc
import TestServers
import Testing

extension Whole {
    /// Files that go to real web servers.
    @Suite struct WebTests {
        @Test(arguments: [WebDAVServer.Kind.nginxPlain, .apache, .rclone])
        func `every name arrives byte for byte, into directories that many jobs make at once`(
            kind: WebDAVServer.Kind
        ) async throws {
            try await withTemporaryDirectory { directory in
                let server = try await WebDAVServer.start(kind, in: directory)
                var names = [
                    "plain", "a#b?c.bin", "%41.txt", "two  blanks", "it's;type=a", "é", "+&=@:$,!*()",
                ]
                .map { Array($0.utf8) }
                // rclone stores no name that is no text.
                if kind != .rclone { names.append([0x6e, 0xff, 0x6f]) }
                let installation = try Installation(
                    directory,
                    sections: """
                        [route out]
                        kind = upload
                        url = \(server.url)/new/d%20e/
                        settle = 0
                        """)
                let daemon = try await installation.startDaemon()
                for (number, name) in names.enumerated() {
                    try Sources.drop(Sources.content(number), named: name, into: installation.spool("out"))
                }
                try await eventually("an empty spool\(installation.logTail)", timeout: .seconds(30)) {
                    try installation.waiting(in: "out").isEmpty
                }
                let place = "\(server.home)/new/d e"
                #expect(Set(try TestFile.names(in: place)) == Set(names))
                for (number, name) in names.enumerated() {
                    let found = try TestFile.read(rawPath: Array("\(place)/".utf8) + name)
                    #expect(found == Sources.content(number))
                }
                try await daemon.sigterm()
            }
        }

        @Test(arguments: ["temp_name = .{name}.{id}.part", "on_conflict = fail", "on_conflict = replace"])
        func `files come through kills at random moments`(line: String) async throws {
            try await withTemporaryDirectory { directory in
                let server = try await WebDAVServer.start(.nginx, in: directory)
                let relay = try ScriptedRelay(to: server.port, bytesPerSecond: 8_000_000)
                let sources = try directory.makeDirectory("sources")
                let installation = try Installation(
                    directory, general: ["source_dirs = \(sources)"],
                    sections: "[origin tested]\nmatch = 127.0.0.1\n\(line)")
                var daemon = try await installation.startDaemon()
                var jobs: [Int] = []
                for number in 0..<4 {
                    try TestFile.write(
                        .pattern(2_000_000 + number, seed: UInt8(number)), to: "\(sources)/f\(number)")
                    jobs.append(
                        try await installation.enqueue(
                            "upload", "\(sources)/f\(number)", "http://127.0.0.1:\(relay.port)/in/"))
                }
                for _ in 0..<Scale.pick(quick: 3, full: 20) {
                    await pause(.milliseconds(Int.random(in: 10...400)))
                    try await daemon.sigkill()
                    daemon = try await installation.startDaemon()
                }
                try await installation.expectDone(jobs)
                for number in 0..<4 {
                    #expect(
                        TestFile.sha256("\(server.home)/in/f\(number)")
                            == TestContent.pattern(2_000_000 + number, seed: UInt8(number)).sha256)
                }
                #expect(try TestFile.names(in: "\(server.home)/in").count == 4)
                try await daemon.sigterm()
            }
        }

        @Test func `a signed address arrives as it is, and its signature is written nowhere`() async throws {
            try await withTemporaryDirectory { directory in
                let server = try await WebDAVServer.start(.nginxPlain, in: directory)
                let installation = try Installation(directory)
                let daemon = try await installation.startDaemon()
                let file = directory.appending("file")
                try TestFile.write([1, 2, 3], to: file)
                let query = "?X-Amz-Credential=AK%2fx&X-Amz-Signature=s3cr%2fet+/=&n=1"
                let job = try await installation.enqueue("upload", file, "\(server.url)/file\(query)")
                try await installation.expectDone([job])
                #expect(TestFile.text(server.log).contains("PUT /file\(query) HTTP/1.1"))
                let shown = try await installation.control(["show", "\(job)"]).text
                let status = try await installation.control(["status", "--all", "--json"]).text
                #expect(shown.contains("/file?X-Amz-Credential=…&X-Amz-Signature=…&n=1"), "\(shown)")
                for text in [shown, status, installation.logText] { #expect(!text.contains("s3cr")) }
                try await daemon.sigterm()
            }
        }
    }
}
