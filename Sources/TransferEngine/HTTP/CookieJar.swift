internal import TransferModel

/// The cookies that one server has set during one attempt of a job; they go back to that server alone (RFC 6265).
///
/// How long they are to live does not matter: they are gone with the attempt.
struct CookieJar: Hashable, Sendable {
    private struct Cookie: Hashable {
        let name: String
        var value: String
        let path: String
        let needsTLS: Bool
    }

    private var cookies: [Cookie] = []

    /// Takes in what the answer to a request to `url` sets.
    mutating func take(_ head: HTTPHead, from url: TransferURL) {
        for field in head.values("set-cookie").prefix(50) { take(field, from: url) }
    }

    private mutating func take(_ field: String, from url: TransferURL) {
        let parts = field.split(separator: ";", omittingEmptySubsequences: false)
            .map { String($0).trimmingBlanks() }
        guard let pair = parts.first, let equals = pair.firstIndex(of: "="), equals != pair.startIndex,
            !field.utf8.contains(where: EscapedText.isControl), field.utf8.count <= 4096
        else { return }
        var path = Self.directory(of: url)
        var needsTLS = false
        var isOver = false
        for attribute in parts.dropFirst() {
            let words = attribute.split(separator: "=", maxSplits: 1).map { String($0).trimmingBlanks() }
            switch words.first?.lowercased() {
            case "path": if words.count > 1, words[1].hasPrefix("/") { path = words[1] }
            case "secure": needsTLS = true
            case "max-age": isOver = words.count > 1 && (Int(words[1]) ?? 1) <= 0
            case _: break
            }
        }
        let name = String(pair[..<equals]).trimmingBlanks()
        cookies.removeAll { $0.name == name && $0.path == path }
        guard !isOver else { return }
        let value = String(pair[pair.index(after: equals)...]).trimmingBlanks()
        cookies.append(Cookie(name: name, value: value, path: path, needsTLS: needsTLS))
    }

    /// What the field Cookie of a request to `url` holds; nil: nothing.
    func field(for url: TransferURL) -> String? {
        let target = url.path.prefix { $0 != "?" }
        let fitting = cookies.filter { cookie in
            let isBelow =
                target == cookie.path
                || target.hasPrefix(cookie.path.hasSuffix("/") ? cookie.path : cookie.path + "/")
            return isBelow && (!cookie.needsTLS || url.origin.scheme == .https)
        }
        // Longer paths first (section 5.4).
        let ordered = fitting.sorted { $0.path.utf8.count > $1.path.utf8.count }
        return ordered.isEmpty ? nil : ordered.map { "\($0.name)=\($0.value)" }.joined(separator: "; ")
    }

    /// RFC 6265, section 5.1.4.
    private static func directory(of url: TransferURL) -> String {
        let path = url.path.prefix { $0 != "?" }
        guard let slash = path.lastIndex(of: "/"), slash != path.startIndex else { return "/" }
        return String(path[..<slash])
    }
}
