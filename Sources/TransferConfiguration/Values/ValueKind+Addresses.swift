import TransferModel

extension ValueKind where Value == TransferURL {
    static var url: ValueKind {
        ValueKind { text throws(Rejection) in
            let url = try Rejection.checked(text)
            let hasControlBytes = url.segments.contains { $0.contains(where: EscapedText.isControl) }
            guard !hasControlBytes else { throw Rejection("the address has a control byte in it") }
            return url
        } write: {
            "\($0)"
        }
    }
}

extension ValueKind where Value == OriginPattern {
    /// `[SCHEME://][USER@]HOST[:PORT]`
    static var originPattern: ValueKind {
        ValueKind { text throws(Rejection) in
            let parts = text.firstRange(of: "://").map { (text[..<$0.lowerBound], text[$0.upperBound...]) }
            let scheme = try parts.map { (name, _) throws(Rejection) in try Self.scheme(String(name)) }
            let authority = parts?.1 ?? text[...]
            // Any scheme would do: the parts of an authority are the same in all of them.
            let origin = try Rejection.checked("ftp://\(authority)").origin
            guard !authority.contains("/") else {
                throw Rejection(expected: "[SCHEME://][USER@]HOST[:PORT] without a path", found: text)
            }
            let host = authority[
                (authority.lastIndex(of: "@").map(authority.index(after:)) ?? authority.startIndex)...]
            let afterAddress = host.lastIndex(of: "]").map { host[$0...] } ?? host
            try checkWildcard(origin.host, found: text)
            return OriginPattern(
                scheme: scheme, user: origin.user, host: origin.host,
                port: afterAddress.contains(":") ? origin.port : nil)
        } write: { pattern in
            let host = pattern.host.contains(":") ? "[\(pattern.host)]" : pattern.host
            return (pattern.scheme.map { "\($0.rawValue)://" } ?? "") + (pattern.user.map { "\($0)@" } ?? "")
                + host + (pattern.port.map { ":\($0)" } ?? "")
        }
    }

    private static func scheme(_ name: String) throws(Rejection) -> Scheme {
        guard let scheme = Scheme(rawValue: name.lowercased()) else {
            let names = Scheme.allCases.map(\.rawValue)
            throw Rejection(
                expected: "one of \(names.joined(separator: ", ")) before '://'", found: name, among: names)
        }
        return scheme
    }

    private static func checkWildcard(_ host: String, found: String) throws(Rejection) {
        let rest = host == "*" ? "" : host.hasPrefix("*.") ? String(host.dropFirst(2)) : host
        guard !rest.contains("*") else {
            throw Rejection(expected: "a host, '*' or '*.DOMAIN'", found: found)
        }
    }
}

extension ValueKind where Value == HeaderField {
    static var header: ValueKind {
        ValueKind { text throws(Rejection) in
            guard let field = HeaderField(text) else {
                let reserved = HeaderField.reserved.sorted().joined(separator: ", ")
                throw Rejection(
                    "expected 'Name: value' with a name of RFC 9110 that transferd does not set itself "
                        + "(\(reserved))")
            }
            return field
        } write: {
            "\($0.name): \($0.value)"
        }
    }
}

extension Rejection {
    /// The address that `text` is; one may hold a password where none belongs, so it is never repeated in a message.
    static func checked(_ text: String) throws(Rejection) -> TransferURL {
        do {
            return try TransferURL(text)
        } catch {
            throw Rejection(error.description)
        }
    }
}
