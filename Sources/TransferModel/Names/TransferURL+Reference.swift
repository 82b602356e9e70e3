extension TransferURL {
    /// The address that a reference such as a Location field means (RFC 3986, section 5.2), seen from this address.
    ///
    /// Bytes that no address may hold are percent-encoded, as every browser does. Throws ``InvalidURL`` for a scheme
    /// that transferd does not speak, for an address with a password, and for control bytes.
    public func resolving(_ reference: String) throws(InvalidURL) -> TransferURL {
        let text = Self.encodingForeign(reference)
        if Self.hasScheme(text) { return try TransferURL(text) }
        let scheme = origin.scheme.rawValue
        if text.hasPrefix("//") { return try TransferURL("\(scheme):\(text)") }
        return try TransferURL(beforePath + Self.target(text, base: path))
    }

    private static func hasScheme(_ text: String) -> Bool {
        guard let colon = text.firstIndex(of: ":"), text.first?.isLetter == true else { return false }
        return text[..<colon].utf8.allSatisfy { byte in
            switch byte {
            case 0x61...0x7a, 0x41...0x5a, 0x30...0x39, 0x2b, 0x2d, 0x2e: true
            default: false
            }
        }
    }

    private static func target(_ reference: String, base: String) -> String {
        let directory = base.prefix { $0 != "?" }
        if reference.isEmpty || reference.hasPrefix("#") { return base }
        if reference.hasPrefix("?") { return directory + reference }
        let query = reference.firstIndex { $0 == "?" || $0 == "#" } ?? reference.endIndex
        let path = reference[..<query]
        let rest = reference[query...]
        if path.hasPrefix("/") { return withoutDots(String(path)) + rest }
        let parent = directory.lastIndex(of: "/").map { directory[...$0] } ?? "/"
        return withoutDots(String(parent + path)) + rest
    }

    /// RFC 3986, section 5.2.4.
    private static func withoutDots(_ path: String) -> String {
        var kept: [Substring] = []
        let segments = path.dropFirst().split(separator: "/", omittingEmptySubsequences: false)
        for (index, segment) in segments.enumerated() {
            let isLast = index == segments.count - 1
            switch segment {
            case ".": if isLast { kept.append("") }
            case "..":
                _ = kept.popLast()
                if isLast { kept.append("") }
            default: kept.append(segment)
            }
        }
        return "/" + kept.joined(separator: "/")
    }

    public static func encodingForeign(_ text: String) -> String {
        var encoded = ""
        for byte in text.utf8 {
            switch byte {
            case 0x20, 0x22, 0x3c, 0x3e, 0x5c, 0x5e, 0x60, 0x7b...0x7d, 0x80...0xff:
                encoded += PercentEncoding.encode([byte])
            default: encoded.unicodeScalars.append(Unicode.Scalar(byte))
            }
        }
        return encoded
    }
}

extension TransferURL {
    /// A reference that a server named, as it may be shown and logged: without a password, a fragment, and what its query
    /// keeps secret; cut after 500 bytes.
    public static func shown(_ reference: String) -> String {
        let reference = reference.prefix { $0 != "#" }
        let end = reference.firstIndex(of: "?") ?? reference.endIndex
        let text = withoutPassword(reference[..<end]) + SecretQuery.hidden(reference[end...])
        return EscapedText.escape(text.utf8.prefix(500))
    }

    private static func withoutPassword(_ text: Substring) -> String {
        guard let start = text.firstRange(of: "//")?.upperBound else { return String(text) }
        let end = text[start...].firstIndex(of: "/") ?? text.endIndex
        guard let at = text[start..<end].lastIndex(of: "@"),
            let colon = text[start..<at].firstIndex(of: ":")
        else { return String(text) }
        return text[...colon] + "…" + text[at...]
    }
}
