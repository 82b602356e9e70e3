internal import TransferModel

/// What was verified of an upload and how, for the person who asks: a list that the job's digest holds.
struct Proof: Sendable {
    /// `sha256:HEX` of what was sent, where it was computed.
    private(set) var sha256: String?
    private var sentences: [String] = []

    init() {}

    /// Goes on with what an earlier attempt has found.
    init(_ text: String?) {
        guard let text else { return }
        sentences = text.split(separator: "; ").map(String.init)
        if let first = sentences.first, first.hasPrefix(Self.prefix) {
            sha256 = String(first.dropFirst(Self.prefix.count))
            sentences.removeFirst()
        }
    }

    private static let prefix = "sha256:"

    mutating func note(sha256: String) { self.sha256 = sha256 }

    /// Whether anything but the size was compared, and was right.
    var isVerified: Bool { sentences.contains { $0.hasSuffix(Self.equal) } }

    private static let equal = " equal"

    /// What was compared, and came out right.
    mutating func noteEqual(_ what: String) { sentences.append(what + Self.equal) }

    mutating func note(_ sentence: String) { sentences.append(sentence) }

    /// nil when there is nothing to say.
    var text: String? {
        let all = (sha256.map { [Self.prefix + $0] } ?? []) + sentences
        return all.isEmpty ? nil : all.joined(separator: "; ")
    }
}
