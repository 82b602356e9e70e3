/// What of a web address's query is not for other eyes: whoever has a presigned address may do what it was signed for.
enum SecretQuery {
    /// Parts of the names of parameters that hold keys and signatures: AWS, Google, Azure, and what services call theirs.
    private static let tellingNames = [
        "sig", "token", "key", "secret", "pass", "pwd", "auth", "cred", "hmac", "jwt", "session", "policy",
        "hash",
    ]
    /// A value of so many bytes is no word that a person has chosen.
    private static let longestPlain = 32

    /// The query, from its `?` on, with `…` for every value that looks like a secret.
    static func hidden(_ query: Substring) -> String {
        guard !query.isEmpty else { return "" }
        let parameters = query.dropFirst().split(separator: "&", omittingEmptySubsequences: false)
        return "?" + parameters.map(shown).joined(separator: "&")
    }

    private static func shown(_ parameter: Substring) -> String {
        guard let equals = parameter.firstIndex(of: "=") else {
            return parameter.utf8.count > longestPlain ? "…" : String(parameter)
        }
        let name = parameter[..<equals].lowercased()
        let isSecret = tellingNames.contains { name.contains($0) }
        let isLong = parameter[equals...].utf8.count > longestPlain + 1
        return isSecret || isLong ? parameter[...equals] + "…" : String(parameter)
    }
}
