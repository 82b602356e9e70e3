import TestServers
import Testing

extension Whole {
    /// Memory does not follow size.
    @Suite struct MemoryTests {
        @Test func `24 transfers at once stay below 64 MiB whatever their size`() async throws {
            let small = try await peakOfAll(size: 16 << 20)
            let large = try await peakOfAll(size: Scale.pick(quick: 48 << 20, full: 1 << 30))
            Scale.report(
                "peak memory of 24 transfers: \(small) KiB with 16 MiB files, \(large) KiB with "
                    + "\(Scale.pick(quick: "48 MiB", full: "1 GiB")) files")
            // A debug build's programs and shared libraries alone are larger.
            #expect(large <= Scale.pick(quick: 80 << 10, full: 64 << 10))
            #expect(large * 10 <= small * 11)
        }

        /// The daemon's peak in KiB over 24 transfers that were all under way at once. Small ones may end before the last
        /// one begins: such a run tells nothing.
        private func peakOfAll(size: Int) async throws -> Int {
            for _ in 0..<6 {
                let (peak, wereTogether) = try await peak(size: size)
                if wereTogether { return peak }
            }
            throw TestServerError("24 transfers of \(size) bytes were never all under way at once")
        }

        /// The daemon's peak in KiB over 8 uploads, 8 downloads and 8 forms of `size` bytes that start together, and whether
        /// the last one began before the first one ended.
        private func peak(size: Int) async throws -> (peak: Int, wereTogether: Bool) {
            try await withTemporaryDirectory { directory in
                let ftp = try await VsftpdServer.start(in: directory)
                let web = try await NginxServer.start(in: directory)
                let form = try ScriptedHTTPServer { _ in .text("received") }
                let sources = try directory.makeDirectory("sources")
                for number in 0..<8 {
                    try Sources.makeSparse("\(sources)/up\(number)", size: size)
                    try Sources.makeSparse("\(sources)/form\(number)", size: size)
                    try Sources.makeSparse("\(web.home)/down\(number)", size: size)
                }
                let installation = try Installation(
                    directory, general: ["source_dirs = \(sources)"],
                    sections: """
                        [origin all]
                        match = *
                        lanes = 24
                        """)
                // The first start makes the table.
                try await installation.startDaemon().sigterm()
                var jobs: [Int] = []
                for number in 0..<8 {
                    jobs.append(
                        try await installation.enqueue("upload", "\(sources)/up\(number)", "\(ftp.url)/"))
                    jobs.append(try await installation.enqueue("download", "\(web.url)/down\(number)"))
                    jobs.append(
                        try await installation.enqueue("form", form.url, "-F", "f=@\(sources)/form\(number)"))
                }
                let daemon = try await installation.startDaemon()
                try await installation.expectDone(jobs, within: .seconds(600))
                let peak = daemon.peakMemory
                let lines = try await installation.status(jobs.map(String.init))
                let begun = lines.compactMap(\.startedAt)
                let ended = lines.compactMap(\.finishedAt)
                #expect(begun.count == 24 && ended.count == 24)
                #expect(form.requests.allSatisfy { $0.isWhole && $0.bodyLength > size })
                for number in 0..<8 {
                    #expect(TestFile.size("\(ftp.home)/up\(number)") == size)
                    #expect(TestFile.size("\(installation.downloads)/down\(number)") == size)
                }
                try await daemon.sigterm()
                return (peak, begun.max() ?? "" < ended.min() ?? "")
            }
        }
    }
}
