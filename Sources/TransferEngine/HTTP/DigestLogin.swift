internal import TransferModel

/// The answers to one Digest challenge, counted: what goes into the field Authorization (RFC 7616, section 3.4).
struct DigestLogin: Sendable {
    let challenge: DigestChallenge
    /// How many requests have used the nonce.
    private var count: UInt32 = 0

    init(_ challenge: DigestChallenge) { self.challenge = challenge }

    /// The field's value for the next request; `target` as it stands in the request line, `chance` is new each time.
    mutating func authorization(
        _ credentials: Credentials, method: String, target: String, chance: String
    ) -> String {
        count += 1
        let digits = String(count, radix: 16)
        let number = String(repeating: "0", count: 8 - digits.utf8.count) + digits
        let user = challenge.hashesUser ? hash("\(credentials.user):\(challenge.realm)") : credentials.user
        var fields = [
            "username=\(Self.quoted(user))", "realm=\(Self.quoted(challenge.realm))",
            "nonce=\(Self.quoted(challenge.nonce))", "uri=\(Self.quoted(target))",
        ]
        if let name = challenge.algorithmName { fields.append("algorithm=\(name)") }
        if let opaque = challenge.opaque { fields.append("opaque=\(Self.quoted(opaque))") }
        if challenge.hashesUser { fields.append("userhash=true") }
        if challenge.isSession || challenge.quality != .none {
            fields.append("cnonce=\(Self.quoted(chance))")
        }
        if challenge.quality != .none { fields += ["qop=\(challenge.quality.rawValue)", "nc=\(number)"] }
        let response = response(credentials, "\(method):\(target)", number: number, chance: chance)
        return "Digest " + (fields + ["response=\"\(response)\""]).joined(separator: ", ")
    }

    private func response(
        _ credentials: Credentials, _ request: String, number: String, chance: String
    ) -> String {
        var secret = hash("\(credentials.user):\(challenge.realm):\(credentials.password)")
        if challenge.isSession { secret = hash("\(secret):\(challenge.nonce):\(chance)") }
        switch challenge.quality {
        case .none: return hash("\(secret):\(challenge.nonce):\(hash(request))")
        case .authentication:
            let middle = "\(challenge.nonce):\(number):\(chance):\(challenge.quality.rawValue)"
            return hash("\(secret):\(middle):\(hash(request))")
        }
    }

    private func hash(_ text: String) -> String {
        var digest = Digest(challenge.algorithm)
        Array(text.utf8).withUnsafeBytes { digest.update($0) }
        return digest.finish()
    }

    private static func quoted(_ text: String) -> String {
        "\"" + text.flatMap { $0 == "\"" || $0 == "\\" ? ["\\", $0] : [$0] } + "\""
    }
}
