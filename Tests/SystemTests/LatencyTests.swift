import TestServers
import Testing

extension Whole {
    /// How soon a small file is on its way.
    @Suite struct LatencyTests {
        private let count = Scale.pick(quick: 40, full: 200)

        @Test func `a dropped file of 1 KiB is at the server soon after its close`() async throws {
            try await withServer { installation, server in
                let spool = installation.spool("out")
                let times = try await measure(at: "\(server.home)/in") { number in
                    try TestFile.write(Sources.content(number, size: 1024), to: "\(spool)/f\(number)")
                    return .now
                }
                Scale.report("close of a 1 KiB file to its bytes at the server: \(summary(times))")
                if Scale.isFull { #expect(times.median < .milliseconds(20)) }
            }
        }

        @Test func `an enqueued file of 1 KiB is at the server soon after transferctl returned`() async throws
        {
            try await withServer { installation, server in
                let sources = try installation.directory.makeDirectory("sources")
                let times = try await measure(at: "\(server.home)/in") { number in
                    let file = "\(sources)/f\(number)"
                    try TestFile.write(Sources.content(number, size: 1024), to: file)
                    _ = try await installation.enqueue("upload", file, "\(server.url)/in/")
                    return .now
                }
                Scale.report("return of transferctl enqueue to the bytes at the server: \(summary(times))")
                if Scale.isFull { #expect(times.median < .milliseconds(50)) }
            }
        }

        private func withServer(
            _ body: (Installation, VsftpdServer) async throws -> Void
        ) async throws {
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
                let daemon = try await installation.startDaemon()
                try TestFile.write([1], to: "\(installation.spool("out"))/first")
                try await eventually("an open lane\(installation.logTail)") {
                    TestFile.exists("\(server.home)/in/first")
                }
                try await body(installation, server)
                try await daemon.sigterm()
            }
        }

        /// `send` hands over file `number` and returns when that was.
        private func measure(
            at place: String, _ send: (Int) async throws -> ContinuousClock.Instant
        ) async throws -> [Duration] {
            var times: [Duration] = []
            for number in 0..<count {
                let start = try await send(number)
                let path = "\(place)/f\(number)"
                try await eventually("\(path)", every: .microseconds(500)) { TestFile.size(path) == 1024 }
                times.append(ContinuousClock.now - start)
                #expect(try TestFile.read(path) == Sources.content(number, size: 1024))
            }
            return times
        }

        private func summary(_ times: [Duration]) -> String {
            "median \(times.median.inMilliseconds), 99th of 100 \(times.ninetyNinth.inMilliseconds), \(times.count) files"
        }
    }
}
