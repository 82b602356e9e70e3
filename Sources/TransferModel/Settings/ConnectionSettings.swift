/// How FTP's data connections are made (RFC 959, section 5.1; RFC 2428).
public struct DataConnectionSettings: Hashable, Sendable {
    public enum Mode: String, CaseIterable, Codable, Sendable {
        /// We connect to the server.
        case passive
        /// The server connects to us.
        case active
    }

    /// Which address a PASV reply is taken to mean.
    public enum PassiveAddress: String, CaseIterable, Codable, Sendable {
        /// That of the control connection, whatever the reply says: it may name a private or a stranger's address.
        case control
        /// What the reply says.
        case reply
    }

    public var mode = Mode.passive
    /// Active: the address or interface that the server is told; nil: that of the control connection.
    public var activeAddress: String?
    /// Whether EPSV (active: EPRT) is tried before PASV (PORT).
    public var extended = true
    public var passiveAddress = PassiveAddress.control

    public init() {}
}

/// Whom to trust and how to show who we are, beyond the password.
public struct TrustSettings: Hashable, Sendable {
    /// Certificates to trust instead of the system's; PEM.
    public var caFile: FilePath?
    public var clientCertificate: FilePath?
    /// The key to the certificate; nil: it stands in the same file. PEM, without passphrase.
    public var clientKey: FilePath?
    /// Public keys of which the server has to have one, besides a valid certificate: `sha256//BASE64`.
    public var pinnedKeys: [String] = []
    public var tlsMinimum: TLSVersion = .tls12
    /// nil: 1.2 for FTP, since libcurl cuts uploads with 1.3; else the newest there is.
    public var tlsMaximum: TLSVersion?
    /// SFTP: the known_hosts file; nil: `STATE/known_hosts`, then /etc/ssh/ssh_known_hosts.
    public var knownHosts: FilePath?
    /// SFTP: fingerprints of host keys of which the server has to have one, `SHA256:BASE64`; known_hosts is then not
    /// asked.
    public var hostKeys: [String] = []
    /// SFTP: the private key to log in with, as ssh-keygen(1) writes it; the netrc entry's password is its passphrase.
    public var identity: FilePath?
    /// SFTP: whether the keys of the agent at SSH_AUTH_SOCK are tried.
    public var usesAgent = false

    public init() {}
}

/// The way through the network to an origin.
public struct PathSettings: Hashable, Sendable {
    public enum AddressFamily: String, CaseIterable, Codable, Sendable {
        case any, ipv4, ipv6
    }

    public var proxy: ProxyAddress?
    /// An address or interface of this machine to connect from.
    public var sourceAddress: String?
    public var addressFamily = AddressFamily.any

    public init() {}
}

/// `SCHEME://HOST:PORT` of a proxy; its login stands in the credentials file under `machine HOST:PORT`.
public struct ProxyAddress: Hashable, Sendable, CustomStringConvertible {
    public enum Scheme: String, CaseIterable, Codable, Sendable {
        /// CONNECT is asked for every connection (RFC 9110, section 9.3.6), also for FTP's.
        case http, https
        /// Names are resolved here, with `socks5h` by the proxy (RFC 1928).
        case socks5, socks5h

        public var defaultPort: Int {
            switch self {
            case .http: 3128
            case .https: 443
            case .socks5, .socks5h: 1080
            }
        }
    }

    public let scheme: Scheme
    public let host: String
    public let port: Int

    public init(scheme: Scheme, host: String, port: Int? = nil) {
        self.scheme = scheme
        self.host = host.lowercased()
        self.port = port ?? scheme.defaultPort
    }

    public var description: String {
        let bracketed = host.contains(":") ? "[\(host)]" : host
        return "\(scheme.rawValue)://\(bracketed):\(port)"
    }
}
