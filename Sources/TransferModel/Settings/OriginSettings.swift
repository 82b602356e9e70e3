/// Section `[origin NAME]`: how to speak with the servers it matches.
public struct OriginSettings: Hashable, Sendable {
    public var name: String
    public var matches: [OriginPattern] = []
    /// Connections to one origin at a time.
    public var lanes = 4
    /// For `ftp://`: whether AUTH TLS is demanded (RFC 4217) or not asked for; never "if possible".
    public var tls: TLSPolicy = .off
    public var trust = TrustSettings()
    public var path = PathSettings()
    public var data = DataConnectionSettings()
    /// How uploads are put into place; routes and jobs may say otherwise.
    public var delivery = DeliveryWishes()
    /// How requests to a web server are made; routes and jobs may say otherwise.
    public var request = RequestWishes()
    /// How downloads are fetched; routes and jobs may say otherwise.
    public var fetch = FetchWishes()
    /// What all transfers of the origin together move at most, each way.
    public var rate: Rate?
    public var connectTimeout: Duration = .seconds(30)
    /// How long the other side may be silent at any step, or move no byte.
    public var stallTimeout: Duration = .seconds(60)

    public init(name: String, matches: [OriginPattern] = []) {
        self.name = name
        self.matches = matches
    }
}

public enum TLSPolicy: String, CaseIterable, Codable, Sendable {
    case require, off
}

/// In the order of their age.
public enum TLSVersion: String, CaseIterable, Comparable, Codable, Sendable {
    case tls10 = "1.0"
    case tls11 = "1.1"
    case tls12 = "1.2"
    case tls13 = "1.3"

    public static func < (left: TLSVersion, right: TLSVersion) -> Bool { left.rawValue < right.rawValue }
}

/// `[SCHEME://][USER@]HOST[:PORT]`: what is left out matches anything; HOST `*` matches every host, `*.example.com`
/// every host below it.
public struct OriginPattern: Hashable, Sendable {
    public var scheme: Scheme?
    public var user: String?
    public var host: String
    public var port: Int?

    public init(scheme: Scheme? = nil, user: String? = nil, host: String, port: Int? = nil) {
        self.scheme = scheme
        self.user = user
        self.host = host.lowercased()
        self.port = port
    }

    public func matches(_ origin: Origin) -> Bool {
        (scheme ?? origin.scheme) == origin.scheme && (user == nil || user == origin.user)
            && (port ?? origin.port) == origin.port && matchesHost(origin.host)
    }

    private func matchesHost(_ name: String) -> Bool {
        if host == "*" { return true }
        if host.hasPrefix("*.") { return name.hasSuffix(host.dropFirst()) }
        return host == name
    }

    /// Higher is more specific: an exact host before a wildcard (the longer before the shorter), then port, then
    /// user, then scheme.
    public var specificity: Int {
        let exactness = host == "*" ? 0 : host.hasPrefix("*.") ? host.utf8.count : 1_000
        return exactness * 8 + (port == nil ? 0 : 4) + (user == nil ? 0 : 2) + (scheme == nil ? 0 : 1)
    }
}
