import TestServers
import Testing

extension Whole {
    /// Memory does not follow size.
    @Suite struct MemoryTests {
        @Test func `24 transfers at once stay below 64 MiB whatever their size`() async throws {
            // Not all of the small ones are always under way at once: the highest of three is that of 24.
            var small = 0
            for _ in 0..<3 { small = max(small, try await peak(size: 16 << 20)) }
            let large = try await peak(size: Scale.pick(quick: 48 << 20, full: 1 << 30))
            Scale.report(
                "peak memory of 24 transfers: \(small) KiB with 16 MiB files, \(large) KiB with "
                    + "\(Scale.pick(quick: "48 MiB", full: "1 GiB")) files")
            // A debug build's programs and shared libraries alone are larger.
            #expect(large <= Scale.pick(quick: 80 << 10, full: 64 << 10))
            #expect(large * 10 <= small * 11)
        }

        /// The daemon's peak in KiB over 8 uploads, 8 downloads and 8 forms of `size` bytes that start together.
        private func peak(size: Int) async throws -> Int {
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
                try await eventually("24 running jobs\(installation.logTail)", every: .milliseconds(1)) {
                    try await installation.status("--state", "running").count > 16 || size < 64 << 20
                }
                try await installation.expectDone(jobs, within: .seconds(600))
                let peak = daemon.peakMemory
                #expect(form.requests.allSatisfy { $0.isWhole && $0.bodyLength > size })
                for number in 0..<8 {
                    #expect(TestFile.size("\(ftp.home)/up\(number)") == size)
                    #expect(TestFile.size("\(installation.downloads)/down\(number)") == size)
                }
                try await daemon.sigterm()
                return peak
            }
        }
    }
}
