internal import TransferModel

/// Compression that a server applied although it was asked for none (RFC 9110, section 8.4).
enum ContentCoding {
    /// The endings of names whose files are meant to be in that coding.
    private static let endings: [String: [String]] = [
        "gzip": [".gz", ".tgz", ".svgz", ".z"], "x-gzip": [".gz", ".tgz", ".svgz", ".z"],
        "br": [".br"], "zstd": [".zst", ".tzst"], "deflate": [".zz", ".z"],
        "compress": [".z"], "x-compress": [".z"],
    ]

    /// The coding of an answer that has to be undone before its bytes are the file; nil when they are the file.
    ///
    /// Servers label a stored `x.tar.gz` as coded; there the coded bytes are what the name promises.
    static func toUndo(in head: HTTPHead, for name: FileName) -> String? {
        let codings = head.values("content-encoding").flatMap { $0.split(separator: ",") }
            .map { String($0).trimmingBlanks().lowercased() }
        guard let coding = codings.first(where: { endings[$0] != nil }) else { return nil }
        let text = name.description.lowercased()
        let isPromised = endings[coding, default: []].contains { text.hasSuffix($0) }
        return isPromised && codings.count == 1 ? nil : coding
    }
}
