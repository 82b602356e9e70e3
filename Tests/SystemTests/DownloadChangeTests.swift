import Glibc
import TestServers
import Testing

extension Whole {
    /// Downloads from a real nginx while something about them changes.
    @Suite struct DownloadChangeTests {
        private static let content = TestContent.pattern(8 << 20)

        private func withServer(
            _ sections: String, _ body: (Installation, NginxServer, DaemonProcess) async throws -> Void
        ) async throws {
            try await withTemporaryDirectory { directory in
                let nginx = try await NginxServer.start(in: directory)
                try TestFile.write(Self.content, to: "\(nginx.home)/x")
                let installation = try Installation(directory, sections: sections)
                let daemon = try await installation.startDaemon()
                try await body(installation, nginx, daemon)
                try await daemon.sigterm()
                await nginx.stop()
            }
        }

        /// It is on its way, and would be for most of a minute.
        private func expectSlow(_ installation: Installation, _ job: Int) async throws {
            try await eventually("some of it has come") {
                let line = try await installation.show(job)
                return line.state == "running" && line.offset ?? 0 > 0
            }
        }

        private func expectDone(_ installation: Installation, _ job: Int) async throws {
            try await eventually("the download is done", timeout: .seconds(15)) {
                try await installation.show(job).state == "done"
            }
            #expect(TestFile.sha256("\(installation.downloads)/x") == Self.content.sha256)
        }

        @Test func `a job's rate is lifted while it runs`() async throws {
            try await withServer("[origin all]\nmatch = *") { installation, nginx, _ in
                let job = try await installation.enqueue("download", "\(nginx.url)/x", "--rate", "200K")
                try await expectSlow(installation, job)
                #expect(try await installation.control(["rate", "\(job)", "off"]).succeeded)
                try await expectDone(installation, job)
            }
        }

        @Test func `a job is given a rate while it runs`() async throws {
            try await withServer("[origin all]\nmatch = *\nrate = 2M") { installation, nginx, _ in
                let job = try await installation.enqueue("download", "\(nginx.url)/x")
                try await expectSlow(installation, job)
                #expect(try await installation.control(["rate", "\(job)", "50K"]).succeeded)
                await pause(.seconds(6))
                // At the origin's rate alone all of it would be there.
                #expect(try await installation.show(job).state == "running")
                #expect(try await installation.control(["rate", "\(job)", "off"]).succeeded)
                try await expectDone(installation, job)
            }
        }

        @Test func `an origin's rate changes for what runs with a reload`() async throws {
            try await withServer("[origin all]\nmatch = *\nrate = 200K") { installation, nginx, daemon in
                let job = try await installation.enqueue("download", "\(nginx.url)/x")
                try await expectSlow(installation, job)
                try installation.configure(sections: "[origin all]\nmatch = *")
                daemon.child.signal(SIGHUP)
                try await expectDone(installation, job)
            }
        }

        @Test func `with if-newer a file that is the same is not sent, and one that is gone stays here`()
            async throws
        {
            try await withServer("[origin all]\nmatch = *") { installation, nginx, _ in
                let order = [
                    "enqueue", "download", "\(nginx.url)/x", "--if-newer", "--option", "on_conflict=replace",
                    "--wait",
                ]
                for _ in 0..<2 {
                    let done = try await installation.control(order)
                    #expect(done.succeeded, "\(done.errorText)")
                }
                #expect(TestFile.sha256("\(installation.downloads)/x") == Self.content.sha256)
                try TestFile.write([1, 2, 3], to: "\(nginx.home)/x")
                try TestFile.setModified("\(nginx.home)/x", to: 2_000_000_000)
                #expect(try await installation.control(order).succeeded)
                #expect(try TestFile.read("\(installation.downloads)/x") == [1, 2, 3])
                try #require(unlink("\(nginx.home)/x") == 0)
                #expect(!(try await installation.control(order).succeeded))
                #expect(try TestFile.read("\(installation.downloads)/x") == [1, 2, 3])
                let answers = TestFile.text(nginx.log).split(separator: "\n").map { $0.prefix(3) }
                #expect(answers == ["200", "304", "200", "404"])
            }
        }
    }
}
