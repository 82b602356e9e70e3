internal import TransferModel

/// What the head of an answer says the checksum of the whole file is.
enum RepresentationDigests {
    /// The strongest checksum that a field names; none where there is none, or where the answer's is not the file's.
    ///
    /// `Repr-Digest` (RFC 9530) and `Digest` (RFC 3230) are of the whole file also where a part of it is answered;
    /// `Content-Digest` and `Content-MD5` (RFC 1864) are of what the answer carries. What cannot be read is passed over,
    /// as the RFCs have it.
    static func read(_ head: HTTPHead) -> [Checksum] {
        // Of a compressed answer all of them are of the compressed bytes.
        let coding = head.value("content-encoding")?.lowercased() ?? "identity"
        guard coding == "identity" else { return [] }
        var found = head.values("repr-digest").flatMap { members($0, structured) }
        found += head.values("digest").flatMap { members($0, { $0 }) }
        if head.status == 200 {
            found += head.values("content-digest").flatMap { members($0, structured) }
            found += head.values("content-md5").compactMap { checksum(.md5, base64: $0) }
        }
        guard
            let strongest = Checksum.Algorithm.allCases.first(where: { algorithm in
                found.contains { $0.algorithm == algorithm }
            })
        else { return [] }
        let all = Set(found.filter { $0.algorithm == strongest })
        // Fields that contradict each other say nothing.
        return all.count == 1 ? Array(all) : []
    }

    /// `sha-256=VALUE, sha-512=VALUE`
    private static func members(_ field: String, _ value: (String) -> String?) -> [Checksum] {
        field.split(separator: ",").compactMap { member in
            let parts = member.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2, let algorithm = algorithm(String(parts[0]).trimmingBlanks()) else {
                return nil
            }
            return value(String(parts[1]).trimmingBlanks()).flatMap { checksum(algorithm, base64: $0) }
        }
    }

    /// RFC 3230 calls SHA-1 `sha`.
    private static func algorithm(_ name: String) -> Checksum.Algorithm? {
        name.lowercased() == "sha" ? .sha1 : Checksum.Algorithm(name: name)
    }

    /// `:BASE64:` and parameters after it (RFC 8941, section 3.3.5).
    private static func structured(_ text: String) -> String? {
        guard text.hasPrefix(":"), let end = text.dropFirst().firstIndex(of: ":") else { return nil }
        return String(text[text.index(after: text.startIndex)..<end])
    }

    private static func checksum(_ algorithm: Checksum.Algorithm, base64: String) -> Checksum? {
        let padding = String(repeating: "=", count: (4 - base64.utf8.count % 4) % 4)
        guard let bytes = Base64.decode(base64 + padding) else { return nil }
        let digits = bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
        return Checksum(algorithm, digits: digits)
    }
}
