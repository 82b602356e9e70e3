internal import TransferModel

extension WebServer {
    /// Known only when the file is there.
    func checksumAlgorithm(on lane: isolated Lane) async throws -> ChecksumAlgorithm? { nil }

    /// From what the server said when it stored the file, what it says to HEAD with a wish for one (RFC 9530, RFC 3230),
    /// or the properties of ownCloud and Nextcloud.
    func checksum(of path: RemotePath, on lane: isolated Lane) async throws -> RemoteChecksum? {
        if let stored, stored.path == path, let found = WebDigests(stored.head).strongest { return found }
        let wishes =
            place.hasQuery
            ? [] : ["Want-Repr-Digest: sha-512=5, sha-256=10", "Want-Digest: SHA-512;q=0.5, SHA-256"]
        let question = WebQuestion(
            method: "HEAD", url: address(of: path), doing: "asking for a checksum of \(name(path))",
            headers: wishes)
        let answer = try await ask(question, on: lane)
        if answer.status == 200, let found = WebDigests(answer.head).strongest { return found }
        return try await properties(of: path, on: lane)?.checksums.flatMap {
            WebDigests(ownCloud: $0, source: "PROPFIND").strongest
        }
    }
}

/// The checksums of a whole file that the fields of an answer hold.
struct WebDigests {
    private var found: [RemoteChecksum] = []

    /// The strongest of them; nil: there is none that can be computed here.
    var strongest: RemoteChecksum? {
        found.min {
            let order = ChecksumAlgorithm.allCases
            return order.firstIndex(of: $0.algorithm) ?? 0 < order.firstIndex(of: $1.algorithm) ?? 0
        }
    }

    init(_ head: HTTPHead) {
        for field in ["repr-digest", "digest"] {
            for item in head.values(field).flatMap({ $0.split(separator: ",") }) {
                guard let equals = item.firstIndex(of: "=") else { continue }
                let name = String(item[..<equals]).trimmingBlanks()
                add(name, base64: String(item[item.index(after: equals)...]), field)
            }
        }
        for value in head.values("content-md5") { add("md5", base64: value, "content-md5") }
        for value in head.values("x-goog-hash") where value.hasPrefix("md5=") {
            add("md5", base64: String(value.dropFirst(4)), "x-goog-hash")
        }
        for value in head.values("x-amz-checksum-sha256") {
            add("sha-256", base64: value, "x-amz-checksum-sha256")
        }
        for value in head.values("oc-checksum") { self.add(ownCloud: value, "oc-checksum") }
    }

    init(ownCloud value: String, source: String) { add(ownCloud: value, source) }

    private mutating func add(ownCloud value: String, _ source: String) {
        for item in value.split(separator: " ") {
            let parts = item.split(separator: ":", maxSplits: 1)
            guard parts.count == 2 else { continue }
            add(String(parts[0]), hexadecimal: parts[1].lowercased(), source)
        }
    }

    private mutating func add(_ name: String, base64: String, _ source: String) {
        let text = base64.trimmingBlanks().trimming(":")
        guard let bytes = Base64.decode(text) else { return }
        let digits = Array("0123456789abcdef".utf8)
        let hexadecimal = String(
            decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
        add(name, hexadecimal: hexadecimal, source)
    }

    private mutating func add(_ name: String, hexadecimal: String, _ source: String) {
        let plain = name.lowercased().filter { $0 != "-" }
        let algorithm = ChecksumAlgorithm.allCases.first {
            $0.rawValue.lowercased().filter { $0 != "-" } == (plain == "sha" ? "sha1" : plain)
        }
        guard let algorithm, algorithm.digits == hexadecimal.utf8.count else { return }
        found.append(RemoteChecksum(algorithm: algorithm, hexadecimal: hexadecimal, command: source))
    }
}

extension String {
    fileprivate func trimming(_ character: Character) -> String {
        String(drop { $0 == character }.reversed().drop { $0 == character }.reversed())
    }
}
