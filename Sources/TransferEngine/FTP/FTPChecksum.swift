internal import TransferModel

/// One of the commands that have a server compute a checksum of a file.
///
/// HASH: draft-bryan-ftp-hash; the others have no standard and reply `250 HEX` or `213 HEX`; MD5 (draft-twine-ftpmd5)
/// has the name before it.
struct FTPChecksum: Hashable, Sendable {
    let algorithm: ChecksumAlgorithm
    let verb: String

    /// For what the server refused.
    var name: String { verb == "HASH" ? "HASH \(algorithm.rawValue)" : verb }

    /// What a server offers, the strongest first.
    static func ways(_ features: ServerFeatures) -> [FTPChecksum] {
        let hashes = features.parameters(of: "HASH").map { parameters in
            parameters.split { $0 == ";" || $0 == " " }.map { $0.filter { $0 != "*" }.uppercased() }
        }
        return ChecksumAlgorithm.allCases.flatMap { algorithm in
            let hash = hashes?.contains(algorithm.rawValue) == true ? ["HASH"] : []
            return (hash + algorithm.verbs.filter(features.has)).map {
                FTPChecksum(algorithm: algorithm, verb: $0)
            }
        }
    }

    /// The last of them is answered with the checksum.
    func commands(_ path: RemotePath) -> [[UInt8]] {
        let choice = verb == "HASH" ? [Array("OPTS HASH \(algorithm.rawValue)".utf8)] : []
        return choice + [Array("\(verb) ".utf8) + argument(path)]
    }

    /// Those with an X take a range after the path, so that one with blanks has to stand in quotes.
    private func argument(_ path: RemotePath) -> [UInt8] {
        let quote = UInt8(ascii: "\"")
        let bytes = path.bytes
        guard verb.hasPrefix("X"), bytes.contains(0x20), !bytes.contains(quote) else { return bytes }
        return [quote] + bytes + [quote]
    }

    /// The checksum in a reply, in lower case; nil when there is none, or one of another kind.
    func checksum(in reply: ReplyLog.Entry) -> String? {
        guard (200..<300).contains(reply.code) else { return nil }
        let words = reply.text.split(separator: 0x20).map { String(decoding: $0, as: UTF8.self) }
        let found: String? =
            if verb == "HASH" {
                // The algorithm, the range, the checksum, the name; servers say that they are at it before.
                words.indices.dropLast(2).first {
                    words[$0].uppercased() == algorithm.rawValue && isChecksum(words[$0 + 2])
                }
                .map { words[$0 + 2] }
            } else {
                words.last(where: isChecksum)
            }
        // A CRC may come without its leading zeros.
        return found.map { String(repeating: "0", count: algorithm.digits - $0.utf8.count) + $0.lowercased() }
    }

    private func isChecksum(_ word: String) -> Bool {
        let count = word.utf8.count
        let isLong = algorithm == .crc32 ? (1...8).contains(count) : count == algorithm.digits
        return isLong && word.utf8.allSatisfy { Character(Unicode.Scalar($0)).isHexDigit }
    }
}

extension ChecksumAlgorithm {
    /// The commands of its own that servers have for it.
    fileprivate var verbs: [String] {
        switch self {
        case .sha512: ["XSHA512"]
        case .sha256: ["XSHA256"]
        case .sha1: ["XSHA1", "XSHA"]
        case .md5: ["XMD5", "MD5"]
        case .crc32: ["XCRC"]
        }
    }
}
