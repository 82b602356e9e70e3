internal import TransferModel

/// A checksum that a download's file has to have, and who says so.
struct DownloadClaim: Hashable, Sendable {
    enum Source: Hashable, Sendable {
        /// The person.
        case order
        /// A list of checksums that the person named.
        case list(FileName)
        /// The head of the answer that brought the file.
        case server

        /// Completes "matches" and "not as … has it".
        var words: String {
            switch self {
            case .order: "--checksum"
            case .list(let name): "\(name)"
            case .server: "the server's digest"
            }
        }
    }

    let checksum: Checksum
    let source: Source
}

/// All of them.
struct DownloadClaims: Hashable, Sendable {
    /// Those that hold whatever the server says.
    var given: [DownloadClaim]
    /// What the server says of the version that comes.
    let served: [Checksum]

    private var all: [DownloadClaim] { given + served.map { DownloadClaim(checksum: $0, source: .server) } }

    /// What has to be computed while the file comes.
    var algorithms: Set<ChecksumAlgorithm> { Set(all.map(\.checksum.computed)) }

    /// The first claim that is wrong.
    func mismatch(in found: [ChecksumAlgorithm: String]) -> DownloadClaim? {
        all.first { found[$0.checksum.computed] != $0.checksum.hexadecimal }
    }

    /// What was proven when all of them are right, as the job's digest says it: `sha256:HEX (matches --checksum)`.
    var proofs: [String] {
        Checksum.Algorithm.allCases.compactMap { algorithm in
            let claims = all.filter { $0.checksum.algorithm == algorithm }
            guard let first = claims.first else { return nil }
            let words = claims.map(\.source.words).joined(separator: " and ")
            return "\(first.checksum) (matches \(words))"
        }
    }
}
