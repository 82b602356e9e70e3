internal import TransferModel

/// What an FTP server says about a file before it sends it: the replies to MDTM and SIZE (RFC 3659, sections 3, 4).
struct FTPFacts: Hashable, Sendable {
    /// The reply to MDTM, as it stood: YYYYMMDDHHMMSS, perhaps with a fraction.
    private(set) var modified: String?
    private(set) var size: Int64?

    /// Takes one reply line; anything but the two replies is passed over.
    ///
    /// Both begin with 213 and libcurl asks MDTM first, so a time is only taken while neither has come.
    mutating func take(_ line: some Sequence<UInt8>) {
        let text = String(decoding: Array(line), as: UTF8.self)
        let words = text.split { $0.isWhitespace }
        guard words.count == 2, words[0] == "213" else { return }
        if modified == nil, size == nil, Self.isTime(words[1]) {
            modified = String(words[1])
        } else if words[1].utf8.allSatisfy({ (0x30...0x39).contains($0) }) {
            size = Int64(words[1])
        }
    }

    private static func isTime(_ text: Substring) -> Bool {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count <= 2, parts[0].utf8.count == 14, parts[0].hasPrefix("1") || parts[0].hasPrefix("2")
        else { return false }
        return parts.allSatisfy { part in part.utf8.allSatisfy { (0x30...0x39).contains($0) } }
    }

    /// What a later attempt compares; without a time and a size no two versions can be told apart.
    var validator: Checkpoint.Validator {
        Checkpoint.Validator(lastModified: modified, total: size.map(ByteCount.init(rawValue:)))
    }

    /// Whether bytes of the version `known` may be gone on with from `offset`: same time, same size, and some left.
    func allowsResume(at offset: Int64, of known: Checkpoint.Validator, hasChecksum: Bool) -> Bool {
        guard let size, let total = known.total?.rawValue, size == total, offset < size else { return false }
        if let modified, let before = known.lastModified { return modified == before }
        return hasChecksum
    }
}
