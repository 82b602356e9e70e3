import TestServers
import Testing

extension Whole {
    @Suite struct FormTests {
        @Test func `PHP sees repeated fields as an array and a file of 100 MB whole`() async throws {
            try await withInstallation { installation, directory in
                let server = try await PHPServer.start(in: directory)
                let content = TestContent.pattern(100_000_000, seed: 5)
                let file = directory.appending("hundred;type=x \"odd\".bin")
                try TestFile.write(content, to: file)
                let daemon = try await installation.startDaemon()
                let start = ContinuousClock.now
                let quoted = file.split(separator: "\"", omittingEmptySubsequences: false).joined(
                    separator: "\\\"")
                let job = try await installation.enqueue(
                    "form", "\(server.url)/in", "-F", "f[]=a", "-F", "f[]=b", "-F", "up=@\"\(quoted)\"",
                    "--form-string", "at=@not a file")
                try await installation.expectDone([job])
                Scale.report(
                    "form with 100 MB: \((ContinuousClock.now - start).inMilliseconds) from enqueue to done")
                let request = try #require(try server.requests().first)
                #expect(
                    request.fields == [
                        .init(name: "f[0]", value: "a"), .init(name: "f[1]", value: "b"),
                        .init(name: "at", value: "@not a file"),
                    ])
                #expect(request.files.map(\.sha256) == [content.sha256])
                #expect(request.files.map(\.error) == [0])
                let line = try await installation.show(job)
                #expect(line.reply?.status == 200)
                #expect(line.reply?.body.contains("sha256") == true)
                try await daemon.sigterm()
            }
        }

        @Test func `a file dropped into a form route is posted with the route's fields`() async throws {
            try await withTemporaryDirectory { directory in
                let server = try await PHPServer.start(in: directory)
                let installation = try Installation(
                    directory,
                    sections: """
                        [route scans]
                        kind = form
                        url = \(server.url)/scan
                        field = f[]=a
                        field = f[]=b
                        file_field = scan
                        header = X-Office: north
                        settle = 0
                        """)
                let daemon = try await installation.startDaemon()
                let content = Sources.content(7, size: 300_000)
                try Sources.drop(content, named: Array("scan é.tif".utf8), into: installation.spool("scans"))
                try await eventually("the form\(installation.logTail)") { try server.requests().count == 1 }
                try await eventually("an empty spool\(installation.logTail)") {
                    try installation.waiting(in: "scans").isEmpty
                }
                let request = try #require(try server.requests().first)
                #expect(request.headers["x-office"] == "north")
                #expect(request.fields.map(\.value) == ["a", "b"])
                #expect(request.files.map(\.field) == ["scan"])
                #expect(request.files.map(\.name) == ["scan é.tif"])
                #expect(request.files.map(\.sha256) == [sha256(content)])
                try await daemon.sigterm()
            }
        }

        @Test func `a part comes from standard input, and one is marked by its name`() async throws {
            try await withInstallation { installation, directory in
                let server = try await PHPServer.start(in: directory)
                let daemon = try await installation.startDaemon()
                let content = Sources.content(1, size: 300_000)
                let file = try directory.write("two", to: "b;c.blob")
                let done = try await installation.control(
                    [
                        "enqueue", "form", "\(server.url)/", "-F", "up=@-;type=text/csv", "-F",
                        "@f[]=\"\(file)\";filename=d", "-F", "t=<\(file)",
                    ], input: content)
                let job = try #require(Int(done.text.filter { $0 != "\n" }), "\(done.errorText)")
                try await installation.expectDone([job])
                let request = try #require(try server.requests().first)
                #expect(request.files.map(\.name) == ["-", "d"])
                #expect(request.files.map(\.field) == ["up", "f"])
                #expect(request.files.map(\.type) == ["text/csv", "application/octet-stream"])
                #expect(request.files.map(\.sha256) == [sha256(content), sha256(Array("two".utf8))])
                #expect(request.fields == [.init(name: "t", value: "<\(file)")])
                try await daemon.sigterm()
                await server.stop()
            }
        }

        @Test func `a route tells the service of its file what its templates say`() async throws {
            try await withTemporaryDirectory { directory in
                let server = try await PHPServer.start(in: directory)
                let installation = try Installation(
                    directory,
                    sections: """
                        [route scans]
                        kind = form
                        url = \(server.url)/in/{stem}?size={size}
                        field = sum={sha256}
                        field = day={date:%Y%m%d} {{braces}}
                        filename = {id}-{name}
                        file_type = image/tiff
                        header = X-Sum: {sha256}
                        settle = 0
                        """)
                let daemon = try await installation.startDaemon()
                let content = Sources.content(9, size: 300_000)
                try Sources.drop(content, named: Array("ä b.tif".utf8), into: installation.spool("scans"))
                try await eventually("the form\(installation.logTail)") { try server.requests().count == 1 }
                let request = try #require(try server.requests().first)
                #expect(request.uri == "/in/%C3%A4%20b?size=300000")
                #expect(request.headers["x-sum"] == sha256(content))
                #expect(request.fields.first == .init(name: "sum", value: sha256(content)))
                let day = try #require(request.fields.last?.value)
                #expect(day.hasPrefix("20") && day.hasSuffix(" {braces}") && day.utf8.count == 17)
                #expect(request.files.map(\.name) == ["1-ä b.tif"])
                #expect(request.files.map(\.type) == ["image/tiff"])
                #expect(request.files.map(\.sha256) == [sha256(content)])
                try await daemon.sigterm()
                await server.stop()
            }
        }
    }
}
