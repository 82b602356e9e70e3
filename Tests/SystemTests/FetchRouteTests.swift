import Glibc
import TestServers
import Testing

extension Whole {
    /// Files that appear in a directory of a real server.
    @Suite struct FetchRouteTests {
        private let count = Scale.pick(quick: 40, full: 1_000)
        private let time = Scale.pick(quick: Duration.seconds(3), full: .seconds(60))

        private static let kinds: [RealServer.Kind] = [.proftpd, .openSSH, .apache]

        /// What the file of a number holds, of sizes from nothing to 200 kB.
        private func content(_ number: Int) -> [UInt8] {
            let size = number % 17 == 0 ? 0 : (number * 7_919) % (number % 10 == 0 ? 200_000 : 4_000)
            return (0..<size).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ number) }
        }

        private func name(_ number: Int) -> String { "f \(number)#.csv" }

        private func route(_ server: RealServer, _ more: [String]) -> String {
            let lines = ["[route in]", "kind = fetch", "url = \(server.url)/out/", "interval = 1s"] + more
            return server.section(["lanes = 4"]) + "\n" + lines.joined(separator: "\n")
        }

        private func withServer(
            _ kind: RealServer.Kind, _ more: [String],
            _ body: (Installation, RealServer) async throws -> Void
        ) async throws {
            try await withTemporaryDirectory { directory in
                let server = try await RealServer.start(kind, in: directory)
                try makeDirectory("out", at: server)
                let installation = try Installation(directory, sections: route(server, more))
                try server.writeCredentials(installation)
                try await body(installation, server)
                await server.stop()
            }
        }

        private func makeDirectory(_ name: String, at server: RealServer) throws {
            let path = "\(server.home)/\(name)"
            var status = stat()
            guard mkdir(path, 0o755) == 0, stat(server.home, &status) == 0,
                chown(path, status.st_uid, status.st_gid) == 0, chmod(path, 0o777) == 0
            else { throw TestServerError("mkdir \(path): \(String(cString: strerror(errno)))") }
        }

        /// Every fourth file is written in pieces over more than a second, the others at once.
        private func appear(at server: RealServer) async throws {
            let start = ContinuousClock.now
            var open: [(number: Int, from: Int)] = []
            for number in 0..<count {
                let bytes = content(number)
                if number % 4 == 3, bytes.count > 8 {
                    try server.place(Array(bytes.prefix(bytes.count / 8)), named: "out/\(name(number))")
                    open.append((number, bytes.count / 8))
                } else {
                    try server.place(bytes, named: "out/\(name(number))")
                }
                if number % 8 == 7 { open = try grow(open, at: server) }
                let due = start + time / count * (number + 1)
                await pause(ContinuousClock.now.duration(to: due))
            }
            while !open.isEmpty {
                await pause(.milliseconds(300))
                open = try grow(open, at: server)
            }
        }

        /// An eighth of each; those that are not whole then.
        private func grow(
            _ open: [(number: Int, from: Int)], at server: RealServer
        ) throws -> [(number: Int, from: Int)] {
            try open.compactMap { number, from in
                let bytes = content(number)
                let end = min(bytes.count, from + bytes.count / 8 + 1)
                guard let file = fopen("\(server.home)/out/\(name(number))", "a") else {
                    throw TestServerError("the file \(number) is gone while it is written")
                }
                fwrite(Array(bytes[from..<end]), 1, end - from, file)
                fclose(file)
                return end < bytes.count ? (number, end) : nil
            }
        }

        /// Without the directory that Apache keeps properties in.
        private func names(in path: String) -> Set<String> {
            Set(((try? TestFile.names(in: path)) ?? []).map { String(decoding: $0, as: UTF8.self) })
                .subtracting([".DAV"])
        }

        private func expectAll(_ installation: Installation, _ server: RealServer) async throws {
            let all = Set((0..<count).map(name))
            try await eventually("all files arrive and are moved", timeout: .seconds(90)) {
                names(in: "\(server.home)/out/done") == all
            }
            #expect(names(in: "\(server.home)/out") == ["done"])
            #expect(names(in: "\(installation.downloads)/in") == all)
            for number in 0..<count {
                let isWhole =
                    try TestFile.read("\(installation.downloads)/in/\(name(number))") == content(number)
                #expect(isWhole, "file \(number)")
            }
            let done = try await installation.status("--all", "--limit", "\(4 * count + 10)")
            let downloads = done.filter { $0.kind == "download" }
            #expect(downloads.count == count && downloads.allSatisfy { $0.state == "done" })
        }

        @Test(arguments: kinds)
        func `files that appear, some while they are written, arrive once, whole, and are moved`(
            kind: RealServer.Kind
        ) async throws {
            try await withServer(kind, ["after = move", "move_to = done/"]) { installation, server in
                let daemon = try await installation.startDaemon()
                try await appear(at: server)
                try await expectAll(installation, server)
                let status = try await installation.control(["status", "--state", "failed,held"])
                #expect(!status.text.contains("poll"), "\(status.text)")
                try await daemon.sigterm()
            }
        }

        @Test func `a daemon that is killed meanwhile neither loses nor doubles a file`() async throws {
            try await withServer(.proftpd, ["after = move", "move_to = done/"]) { installation, server in
                var daemon = try await installation.startDaemon()
                for number in 0..<count {
                    try server.place(content(number), named: "out/\(name(number))")
                }
                for _ in 0..<Scale.pick(quick: 4, full: 30) {
                    await pause(.milliseconds(Int.random(in: 300...1_300)))
                    try await daemon.sigkill()
                    daemon = try await installation.startDaemon()
                }
                try await expectAll(installation, server)
                try await daemon.sigterm()
            }
        }

        @Test func `what is left there is fetched once, and again when it has changed`() async throws {
            try await withServer(.openSSH, ["glob = *.csv"]) { installation, server in
                for name in ["a.csv", "b.txt", ".a.csv.part"] {
                    try server.place([1, 2, 3], named: "out/\(name)")
                }
                var daemon = try await installation.startDaemon()
                let target = "\(installation.downloads)/in/a.csv"
                try await eventually("the first version") { TestFile.exists(target) }
                try await daemon.sigterm()
                daemon = try await installation.startDaemon()
                try server.place([4], named: "out/a.csv")
                try await eventually("the second version") { try TestFile.read(target) == [4] }
                #expect(names(in: "\(installation.downloads)/in") == ["a.csv"])
                #expect(names(in: "\(server.home)/out") == ["a.csv", "b.txt", ".a.csv.part"])
                let lines = try await installation.status("--all")
                #expect(lines.filter { $0.kind == "download" }.count == 2)
                try await daemon.sigterm()
            }
        }

        @Test func `a directory that is not there is told of once, and fetched from when it is`() async throws
        {
            try await withServer(.proftpd, ["after = delete"]) { installation, server in
                #expect(rmdir("\(server.home)/out") == 0)
                let daemon = try await installation.startDaemon()
                try await eventually("two polls that failed") {
                    let last = try await installation.status("--all").map(\.id).max() ?? 0
                    return last >= 3 && installation.logText.contains("cannot look into")
                }
                #expect(installation.logText.split(separator: "cannot look into").count == 2)
                let shown = try await installation.control(["status"])
                #expect(shown.text.contains("poll"), "\(shown.text)")
                try makeDirectory("out", at: server)
                try server.place([7], named: "out/x")
                try await eventually("the file is fetched and deleted") {
                    TestFile.exists("\(installation.downloads)/in/x")
                        && names(in: "\(server.home)/out").isEmpty
                }
                #expect(installation.logText.contains("can look into"))
                try await daemon.sigterm()
            }
        }

        @Test(arguments: kinds)
        func `the files of a directory are enqueued by a pattern`(kind: RealServer.Kind) async throws {
            try await withTemporaryDirectory { directory in
                let server = try await RealServer.start(kind, in: directory)
                try makeDirectory("d", at: server)
                try makeDirectory("d/sub.csv", at: server)
                for name in ["b #1.csv", "a.csv", "c.txt"] { try server.place([1, 2], named: "d/\(name)") }
                let installation = try Installation(directory, sections: server.section())
                try server.writeCredentials(installation)
                let order = ["enqueue", "download", "\(server.url)/d/", "--glob"]
                let early = try await installation.control(order + ["*.csv"])
                #expect(early.status == .exited(5) && early.errorText.contains("no transferd is running"))
                let daemon = try await installation.startDaemon()
                let done = try await installation.control(order + ["*.csv", "--wait"])
                #expect(done.succeeded, "\(done.text)\(done.errorText)\(installation.logTail)")
                #expect(names(in: installation.downloads) == ["a.csv", "b #1.csv"])
                let none = try await installation.control(order + ["*.gz"])
                #expect(none.status == .exited(2) && none.errorText.contains("matches '*.gz'"))
                #expect(names(in: "\(installation.state)/results").isEmpty)
                try await daemon.sigterm()
                await server.stop()
            }
        }
    }
}
