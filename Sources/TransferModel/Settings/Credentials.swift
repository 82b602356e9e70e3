/// A login for one origin, from the credentials file; never logged, stored or shown.
public struct Credentials: Hashable, Sendable, CustomStringConvertible {
    public let user: String
    public let password: String

    public init(user: String, password: String) {
        self.user = user
        self.password = password
    }

    public var description: String { "\(user):…" }
}

/// The credentials file, read: entries for `HOST` and `HOST:PORT` in the order of the file.
public struct CredentialsTable: Hashable, Sendable, CustomStringConvertible {
    public struct Entry: Hashable, Sendable {
        public let host: String
        public let port: Int?
        public let credentials: Credentials

        public init(host: String, port: Int?, credentials: Credentials) {
            self.host = host.lowercased()
            self.port = port
            self.credentials = credentials
        }
    }

    public let entries: [Entry]

    public init(entries: [Entry] = []) { self.entries = entries }

    /// What to log in with at `origin`.
    public enum Login: Hashable, Sendable {
        case anonymous
        case credentials(Credentials)
        /// The address names a user for whom the file has no entry.
        case missing(user: String)
    }

    /// An entry with the port wins over one without; an address without a user takes the host's first entry.
    public func login(for origin: Origin) -> Login {
        let candidates = entries.filter { entry in
            entry.host == origin.host && (entry.port == nil || entry.port == origin.port)
                && (origin.user == nil || origin.user == entry.credentials.user)
        }
        if let entry = candidates.first(where: { $0.port != nil }) ?? candidates.first {
            return .credentials(entry.credentials)
        }
        return origin.user.map(Login.missing) ?? .anonymous
    }

    /// What to log in with at a proxy. Only an entry with its port counts: one without may be for a file server on the
    /// same host, whose password is none of the proxy's business.
    public func login(forProxy proxy: ProxyAddress) -> Credentials? {
        entries.first { $0.host == proxy.host && $0.port == proxy.port }?.credentials
    }

    public var description: String { "\(entries.count) entries" }
}
