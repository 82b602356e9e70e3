internal import CCrypto

/// The first field of a line of known_hosts: for which hosts it stands. Source: sshd(8), SSH_KNOWN_HOSTS FILE FORMAT.
enum HostPattern: Hashable, Sendable {
    /// Names with `*` and `?`, each preceded by `!` where it excludes.
    case names([String])
    /// `|1|SALT|HASH`: HMAC-SHA1 of the name.
    case hashed(salt: [UInt8], hash: String)

    /// nil for a hash of an unknown kind.
    init?(_ field: String) {
        guard field.hasPrefix("|") else {
            self = .names(field.lowercased().split(separator: ",").map(String.init))
            return
        }
        let parts = field.split(separator: "|")
        guard parts.count == 3, parts[0] == "1", let salt = Base64.decode(String(parts[1])) else {
            return nil
        }
        self = .hashed(salt: salt, hash: String(parts[2]))
    }

    /// `name` is a host in lower case, or `[host]:port`.
    func matches(_ name: String) -> Bool {
        switch self {
        case .names(let patterns):
            let excludes = patterns.contains { $0.hasPrefix("!") && Self.matches($0.dropFirst(), name) }
            return !excludes && patterns.contains { !$0.hasPrefix("!") && Self.matches($0[...], name) }
        case .hashed(let salt, let hash):
            return Self.hash(name, salt) == hash
        }
    }

    private static func hash(_ name: String, _ salt: [UInt8]) -> String {
        var digest = [UInt8](repeating: 0, count: 20)
        let bytes = Array(name.utf8)
        HMAC(EVP_sha1(), salt, Int32(salt.count), bytes, bytes.count, &digest, nil)
        return Base64.encode(digest)
    }

    private static func matches(_ pattern: Substring, _ name: String) -> Bool {
        let pattern = Array(pattern.utf8)
        let name = Array(name.utf8)
        var (at, place) = (0, 0)
        var star: (pattern: Int, name: Int)?
        while place < name.count {
            if at < pattern.count, pattern[at] == UInt8(ascii: "*") {
                star = (at, place)
                at += 1
            } else if at < pattern.count, pattern[at] == UInt8(ascii: "?") || pattern[at] == name[place] {
                (at, place) = (at + 1, place + 1)
            } else if let last = star {
                star = (last.pattern, last.name + 1)
                (at, place) = (last.pattern + 1, last.name + 1)
            } else {
                return false
            }
        }
        return pattern[at...].allSatisfy { $0 == UInt8(ascii: "*") }
    }
}
