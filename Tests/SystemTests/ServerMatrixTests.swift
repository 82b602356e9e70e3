import TestServers
import Testing

extension Whole {
    /// Every feature with every real server.
    @Suite struct ServerMatrixTests {
        private static let matrix = Matrix(count: RealServer.Kind.possible.count)

        @Test(arguments: RealServer.Kind.possible)
        func `a server takes everything, or it is known why it cannot`(kind: RealServer.Kind) async throws {
            try await withTemporaryDirectory { directory in
                let server = try await RealServer.start(kind, in: directory, limited: true)
                var run = try MatrixRun(server, in: directory)
                let row = try await run.run()
                Self.matrix.add(row, named: kind.rawValue)
                for feature in Matrix.Feature.allCases {
                    guard case .broken(let why) = row[feature] else { continue }
                    Issue.record("\(kind.rawValue), \(feature.rawValue): \(why)\(run.installation.logTail)")
                }
            }
        }
    }
}
