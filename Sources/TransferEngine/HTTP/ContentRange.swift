/// The field Content-Range (RFC 9110, section 14.4), in bytes.
enum ContentRange: Hashable, Sendable {
    /// `bytes 0-99/200`; the last byte is part of the range; `total` nil for `*`.
    case part(first: Int64, last: Int64, total: Int64?)
    /// `bytes */200`
    case unsatisfied(total: Int64)

    /// nil for anything else, contradictions included.
    init?(_ text: String) {
        let words = text.split(separator: " ", omittingEmptySubsequences: true)
        guard words.count == 2, words[0].lowercased() == "bytes" else { return nil }
        let halves = words[1].split(separator: "/", omittingEmptySubsequences: false)
        guard halves.count == 2 else { return nil }
        let total = Self.number(halves[1])
        guard total != nil || halves[1] == "*" else { return nil }
        if halves[0] == "*" {
            guard let total else { return nil }
            self = .unsatisfied(total: total)
            return
        }
        let ends = halves[0].split(separator: "-", omittingEmptySubsequences: false)
        guard ends.count == 2, let first = Self.number(ends[0]), let last = Self.number(ends[1]) else {
            return nil
        }
        guard first <= last, last < total ?? .max else { return nil }
        self = .part(first: first, last: last, total: total)
    }

    private static func number(_ text: Substring) -> Int64? {
        guard !text.isEmpty, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        return Int64(text)
    }
}
