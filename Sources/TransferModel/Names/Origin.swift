/// Scheme, host, port and user: what limits, back-off, credentials and connections belong to.
///
/// Two jobs with the same origin may use the same connection, two with different ones never.
public struct Origin: Hashable, Comparable, Sendable, CustomStringConvertible {
    public let scheme: Scheme
    /// In lower case; an IPv6 address without its brackets.
    public let host: String
    public let port: Int
    /// Decoded; nil when the address names none.
    public let user: String?

    public init(scheme: Scheme, host: String, port: Int? = nil, user: String? = nil) {
        self.scheme = scheme
        self.host = host.lowercased()
        self.port = port ?? scheme.defaultPort
        self.user = user
    }

    /// Reads what ``description`` writes; nil for anything else.
    public init?(_ text: String) {
        guard let url = try? TransferURL(text), url.path.isEmpty else { return nil }
        self = url.origin
    }

    /// `scheme://[user@]host:port`, the form that the job table stores: one text for one origin.
    public var description: String {
        let bracketed = host.utf8.contains(UInt8(ascii: ":")) ? "[\(host)]" : host
        let login = user.map { PercentEncoding.encode(Array($0.utf8)) + "@" } ?? ""
        return "\(scheme.rawValue)://\(login)\(bracketed):\(port)"
    }

    public static func < (left: Origin, right: Origin) -> Bool { left.description < right.description }
}

/// The schemes that transferd speaks.
public enum Scheme: String, CaseIterable, Codable, Sendable {
    case ftp, ftps, sftp, http, https

    public var defaultPort: Int {
        switch self {
        case .ftp: 21
        case .ftps: 990
        case .sftp: 22
        case .http: 80
        case .https: 443
        }
    }

    /// Whether it is HTTP, whose addresses have a query behind `?`; elsewhere `?` and `#` are bytes of a name.
    public var isWeb: Bool {
        switch self {
        case .http, .https: true
        case .ftp, .ftps, .sftp: false
        }
    }
}
