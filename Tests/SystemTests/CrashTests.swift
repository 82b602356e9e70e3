import Glibc
import TestServers
import Testing

extension Whole {
    /// SIGKILL while large transfers run, at random moments: all of them come through whole.
    @Suite struct CrashTests {
        private let size = Scale.pick(quick: 24_000_000, full: 300_000_000)
        private let kills = Scale.pick(quick: 4, full: 30)
        private let rate = 10_000_000

        @Test func `an upload, a download and a form come through kills at random moments`() async throws {
            try await withTemporaryDirectory { directory in
                let scene = try await Scene(directory, size: size, rate: rate)
                let installation = scene.installation
                var daemon = try await installation.startDaemon()
                let jobs = try await scene.enqueue()
                var rest: [Int] = []
                for _ in 0..<kills {
                    await pause(.milliseconds(Int.random(in: 100...1500)))
                    rest.append(try await installation.status("--state", "running").count)
                    try await daemon.sigkill()
                    daemon = try await installation.startDaemon()
                }
                try await installation.expectDone(jobs.all, within: .seconds(Int64(size / rate) + 120))
                Scale.report(
                    "jobs running at each of \(kills) kills: \(rest.map(String.init).joined(separator: " "))")
                try await expectWhole(scene, jobs)
                try await expectLittleRepeated(scene, jobs)
                try await daemon.sigterm()
            }
        }

        private func expectWhole(_ scene: Scene, _ jobs: Scene.Jobs) async throws {
            #expect(TestFile.sha256("\(scene.ftp.home)/in/up") == scene.upload.sha256)
            #expect(TestFile.sha256("\(scene.installation.downloads)/down") == scene.download.sha256)
            let first = try #require(try scene.form.requests().first)
            #expect(first.files.map(\.sha256) == [scene.formFile.sha256])
            let keys = try Set(scene.form.requests().map { $0.headers["idempotency-key"] ?? "none" })
            #expect(keys.count == 1 && keys != ["none"], "every attempt carries one key")
            #expect(try TestFile.names(in: "\(scene.ftp.home)/in") == [Array("up".utf8)])
            #expect(try TestFile.names(in: scene.installation.downloads) == [Array("down".utf8)])
            #expect(try TestFile.names(in: "\(scene.installation.state)/intake").isEmpty)
        }

        /// At most two seconds' bytes again for each kill, by the attempts table and by what the relays carried.
        private func expectLittleRepeated(_ scene: Scene, _ jobs: Scene.Jobs) async throws {
            let allowed = 2 * rate * kills
            for (name, job, carried) in [
                ("upload", jobs.upload, scene.ftpRelayed),
                ("download", jobs.download, scene.webRelay.bytesBack),
            ] {
                let line = try await scene.installation.show(job)
                let again = (line.attemptsLog ?? []).repeated
                Scale.report(
                    "\(name): \(line.attemptsLog?.count ?? 0) attempts, \(again) bytes again by the attempts table, "
                        + "\(carried - size) by the relay, \(allowed) allowed")
                #expect(again <= allowed)
                #expect(carried - size <= allowed)
            }
        }

        /// Servers behind relays, and what is sent.
        private struct Scene {
            struct Jobs {
                let upload: Int
                let download: Int
                let form: Int
                var all: [Int] { [upload, download, form] }
            }

            let installation: Installation
            let ftp: VsftpdServer
            let web: NginxServer
            let form: PHPServer
            let webRelay: ScriptedRelay
            let formRelay: ScriptedRelay
            let sources: String
            let upload: TestContent
            let download: TestContent
            let formFile: TestContent

            init(_ directory: TemporaryDirectory, size: Int, rate: Int) async throws {
                upload = .pattern(size, seed: 1)
                download = .pattern(size, seed: 2)
                formFile = .pattern(size, seed: 3)
                ftp = try await VsftpdServer.start(in: directory, bytesPerSecond: rate)
                web = try await NginxServer.start(in: directory)
                form = try await PHPServer.start(in: directory, workers: 8)
                webRelay = try ScriptedRelay(to: web.port, bytesPerSecond: rate)
                formRelay = try ScriptedRelay(to: form.port, bytesPerSecond: rate)
                sources = try directory.makeDirectory("sources")
                try TestFile.write(upload, to: "\(sources)/up")
                try TestFile.write(formFile, to: "\(sources)/form")
                try TestFile.write(download, to: "\(web.home)/down")
                installation = try Installation(directory, general: ["source_dirs = \(sources)"])
            }

            /// vsftpd limits the rate itself and logs the bytes of each transfer.
            var ftpRelayed: Int {
                TestFile.text(ftp.log).split(separator: "\n").filter { $0.contains("UPLOAD") }
                    .compactMap { line in
                        line.split(separator: ",").first { $0.hasSuffix(" bytes") }
                            .flatMap { Int($0.split(separator: " ").first ?? "") }
                    }.reduce(0, +)
            }

            func enqueue() async throws -> Jobs {
                Jobs(
                    upload: try await installation.enqueue("upload", "\(sources)/up", "\(ftp.url)/in/up"),
                    download: try await installation.enqueue(
                        "download", "http://127.0.0.1:\(webRelay.port)/down"),
                    form: try await installation.enqueue(
                        "form", "http://127.0.0.1:\(formRelay.port)/in", "-F", "f=@\(sources)/form",
                        "--unknown", "retry"))
            }
        }

        @Test func `many small files come through kills at random moments`() async throws {
            try await withTemporaryDirectory { directory in
                let server = try await VsftpdServer.start(in: directory)
                let installation = try Installation(
                    directory,
                    sections: """
                        [route out]
                        kind = upload
                        url = \(server.url)/in/
                        settle = 0
                        """)
                let count = Scale.pick(quick: 200, full: 1000)
                var daemon = try await installation.startDaemon()
                for number in 0..<count {
                    try Sources.drop(
                        Sources.content(number), named: Array("f\(number)".utf8),
                        into: installation.spool("out"))
                    if number % (count / Scale.pick(quick: 5, full: 25)) == 7 {
                        await pause(.milliseconds(Int.random(in: 0...60)))
                        try await daemon.sigkill()
                        daemon = try await installation.startDaemon()
                    }
                }
                try await eventually("an empty spool\(installation.logTail)", timeout: .seconds(90)) {
                    try installation.waiting(in: "out").isEmpty
                }
                let arrived = try TestFile.names(in: "\(server.home)/in")
                let isSame = Set(arrived) == Set((0..<count).map { Array("f\($0)".utf8) })
                #expect(isSame, "\(arrived.count) names arrived")
                for number in 0..<count {
                    #expect(try TestFile.read("\(server.home)/in/f\(number)") == Sources.content(number))
                }
                let lines = try await installation.status("--all")
                #expect(lines.count == count && lines.allSatisfy { $0.state == "done" })
                try await daemon.sigterm()
            }
        }
    }
}
