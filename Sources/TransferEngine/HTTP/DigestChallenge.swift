internal import TransferModel

/// A server's wish for Digest access authentication (RFC 7616, section 3.3).
struct DigestChallenge: Hashable, Sendable {
    enum Quality: String, Sendable {
        case authentication = "auth"
        /// Of RFC 2069, without a count.
        case none = ""
    }

    let realm: String
    let nonce: String
    let opaque: String?
    let algorithm: ChecksumAlgorithm
    /// As the server wrote it; nil: it did not.
    let algorithmName: String?
    let isSession: Bool
    let quality: Quality
    let hashesUser: Bool
    /// The password was not looked at, since the nonce was too old.
    let isStale: Bool

    /// The strongest of the challenges in an answer that can be met; nil: there is none.
    init?(_ head: HTTPHead) {
        let all = head.values("www-authenticate").flatMap(AuthenticationChallenge.read)
        let met = all.filter { $0.scheme == "digest" }.compactMap { DigestChallenge($0.parameters) }
        let order = ChecksumAlgorithm.allCases
        guard
            let best = met.min(by: {
                (order.firstIndex(of: $0.algorithm) ?? 0) < (order.firstIndex(of: $1.algorithm) ?? 0)
            })
        else { return nil }
        self = best
    }

    private init?(_ parameters: [String: String]) {
        guard let realm = parameters["realm"], let nonce = parameters["nonce"] else { return nil }
        let name = parameters["algorithm"]
        let lowered = (name ?? "MD5").lowercased()
        let isSession = lowered.hasSuffix("-sess")
        switch isSession ? String(lowered.dropLast(5)) : lowered {
        case "md5": algorithm = .md5
        case "sha-256": algorithm = .sha256
        case _: return nil
        }
        let qualities = parameters["qop"]?.split(separator: ",").map {
            String($0).trimmingBlanks().lowercased()
        }
        guard qualities?.contains("auth") ?? true else { return nil }
        self.realm = realm
        self.nonce = nonce
        opaque = parameters["opaque"]
        algorithmName = name
        self.isSession = isSession
        quality = qualities == nil ? .none : .authentication
        hashesUser = parameters["userhash"]?.lowercased() == "true"
        isStale = parameters["stale"]?.lowercased() == "true"
    }
}

/// One challenge of a WWW-Authenticate field (RFC 9110, section 11.3).
struct AuthenticationChallenge: Hashable {
    /// In lower case.
    let scheme: String
    /// Names in lower case, values without their quotes.
    var parameters: [String: String] = [:]

    /// The challenges of one field, in order. What is no challenge is left out.
    static func read(_ field: String) -> [AuthenticationChallenge] {
        var rest = Array(field.utf8)[...]
        var found: [AuthenticationChallenge] = []
        while let word = takeToken(&rest) {
            skip(" \t", &rest)
            if rest.first == UInt8(ascii: "="), !found.isEmpty {
                rest.removeFirst()
                skip(" \t", &rest)
                found[found.count - 1].parameters[word.lowercased()] = takeValue(&rest)
            } else {
                found.append(AuthenticationChallenge(scheme: word.lowercased()))
            }
        }
        return found
    }

    private static func skip(_ bytes: StaticString, _ rest: inout ArraySlice<UInt8>) {
        let skipped = "\(bytes)".utf8
        while let byte = rest.first, skipped.contains(byte) { rest.removeFirst() }
    }

    private static func takeToken(_ rest: inout ArraySlice<UInt8>) -> String? {
        skip(" \t,=\"", &rest)
        let token = rest.prefix { !" \t,=\"".utf8.contains($0) }
        rest = rest[token.endIndex...]
        return token.isEmpty ? nil : String(decoding: token, as: UTF8.self)
    }

    private static func takeValue(_ rest: inout ArraySlice<UInt8>) -> String {
        guard rest.first == UInt8(ascii: "\"") else {
            let value = rest.prefix { !" \t,".utf8.contains($0) }
            rest = rest[value.endIndex...]
            return String(decoding: value, as: UTF8.self)
        }
        rest.removeFirst()
        var value: [UInt8] = []
        while let byte = rest.popFirst(), byte != UInt8(ascii: "\"") {
            value.append(byte == UInt8(ascii: "\\") ? rest.popFirst() ?? byte : byte)
        }
        return String(decoding: value, as: UTF8.self)
    }
}
