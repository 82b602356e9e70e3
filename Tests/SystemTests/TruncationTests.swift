import TestServers
import Testing

extension Whole {
    /// libcurl calls FTPS uploads good that the server has cut, above all with TLS 1.3.
    @Suite struct TruncationTests {
        private let count = Scale.pick(quick: 20, full: 200)
        private let size = 1_000_000

        @Test(arguments: [RealServer.Kind.vsftpdTLS, .proftpdTLS], ["1.2", "1.3"])
        func `no file that arrived cut is ever called done`(
            kind: RealServer.Kind, version: String
        ) async throws {
            try await withTemporaryDirectory { directory in
                let server = try await RealServer.start(kind, in: directory)
                let installation = try Installation(
                    directory, sections: server.section(["tls_max = \(version)", "lanes = 4"]))
                try server.writeCredentials(installation)
                let daemon = try await installation.startDaemon()
                let jobs = try await installation.enqueueAll(
                    ["upload"] + sources(in: directory) + ["\(server.url)/"])
                try await eventually("a try of each\(installation.logTail)", timeout: .seconds(300)) {
                    try await installation.status(jobs.map(String.init)).allSatisfy {
                        $0.state == "done" || $0.attempts > 0 || $0.error != nil
                    }
                }
                let lines = try await installation.status(jobs.map(String.init))
                var done = 0
                for (number, line) in lines.enumerated() where line.state == "done" {
                    done += 1
                    #expect(
                        TestFile.sha256("\(server.home)/f\(number)") == content(number).sha256,
                        "\(line.url)\(installation.logTail)")
                }
                Scale.report(
                    "\(kind.rawValue), TLS up to \(version): \(done) of \(count) done at the first try")
                if version == "1.2" { #expect(done == count, "\(installation.logTail)") }
                try await daemon.sigterm()
            }
        }

        private func content(_ number: Int) -> TestContent {
            .pattern(size, seed: UInt8(truncatingIfNeeded: number))
        }

        private func sources(in directory: TemporaryDirectory) throws -> [String] {
            let place = try directory.makeDirectory("sources")
            return try (0..<count).map { number in
                try TestFile.write(content(number), to: "\(place)/f\(number)")
                return "\(place)/f\(number)"
            }
        }
    }
}
