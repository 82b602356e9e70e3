import TransferModel

extension OriginSettings {
    static let keys =
        matching + encryption + hostTrust + dataConnections + way
        + DeliveryWishes.keys.map { $0.within(\.delivery) } + RequestWishes.keys.map { $0.within(\.request) }
        + FetchWishes.keysOfOrigins.map { $0.within(\.fetch) }

    private static let matching: [ConfigurationKey<OriginSettings>] = [
        .list(
            "match", \.matches, .originPattern,
            "[SCHEME://][USER@]HOST[:PORT], '*' or '*.DOMAIN' as HOST (repeatable); the most specific match wins."
        ),
        .one("lanes", \.lanes, .number(1...1024), "Connections to one origin."),
        .optional(
            "rate", \.rate, .rate,
            "Bytes a second that move at most to one origin, and from it, such as 500K or 2M."),
        .one(
            "connect_timeout", \.connectTimeout, .duration(atLeast: .seconds(1)),
            "How long connecting and logging in may take."),
        .one(
            "stall_timeout", \.stallTimeout, .duration(atLeast: .seconds(1)),
            "How long the other side may be silent or move no byte."),
    ]

    private static let encryption: [ConfigurationKey<OriginSettings>] = [
        .one("tls", \.tls, .choice, "For ftp:// addresses: 'require' encrypts or fails, 'off' does not ask."),
        .one(
            "tls_min", \.trust.tlsMinimum, .choice,
            "The oldest TLS version that is spoken: 1.0, 1.1, 1.2 or 1.3."),
        .optional(
            "tls_max", \.trust.tlsMaximum, .choice,
            "The newest TLS version; without it 1.2 for FTP, where 1.3 cuts files, else the newest."),
        .optional("ca_file", \.trust.caFile, .path, "Certificates to trust instead of the system's, PEM."),
        .list(
            "pinned_key", \.trust.pinnedKeys, .pinnedKey,
            "A public key of which the server has to have one besides a valid certificate: sha256//BASE64 (repeatable)."
        ),
        .optional(
            "client_certificate", \.trust.clientCertificate, .path,
            "A certificate to show to a server that asks for one, PEM."),
        .optional(
            "client_key", \.trust.clientKey, .path,
            "Its private key, PEM without passphrase, mode 0600; by default in the certificate's file."),
    ]

    private static let hostTrust: [ConfigurationKey<OriginSettings>] = [
        .optional(
            "known_hosts", \.trust.knownHosts, .path,
            "SFTP: whose host keys are trusted; by default known_hosts in state_dir, then /etc/ssh/ssh_known_hosts."
        ),
        .list(
            "host_key", \.trust.hostKeys, .hostKey,
            "SFTP: a host key that is trusted instead, SHA256:BASE64 as 'ssh-keygen -l' prints it (repeatable)."
        ),
        .optional(
            "identity", \.trust.identity, .path,
            "SFTP: the private key to log in with, mode 0600; the netrc entry's password is its passphrase."),
        .one(
            "agent", \.trust.usesAgent, .yesNo,
            "SFTP: whether the keys of the agent at $SSH_AUTH_SOCK are tried, yes or no."),
    ]

    private static let dataConnections: [ConfigurationKey<OriginSettings>] = [
        .one(
            "mode", \.data.mode, .choice,
            "FTP: for data 'passive' connects to the server, 'active' lets the server connect to this machine."
        ),
        .optional(
            "active_address", \.data.activeAddress, .activeAddress,
            "FTP, active: the address or interface that the server is told, with ports if you like: eth0:50000-50100."
        ),
        .one(
            "epsv", \.data.extended, .yesNo,
            "FTP: whether EPSV is tried before PASV, in active mode EPRT before PORT, yes or no."),
        .one(
            "passive_address", \.data.passiveAddress, .choice,
            "FTP: what PASV connects to: 'control' is the server itself, 'reply' whatever address it names."),
    ]

    private static let way: [ConfigurationKey<OriginSettings>] = [
        .optional(
            "proxy", \.path.proxy, .proxy,
            "What to connect through: http, https, socks5 or socks5h://HOST[:PORT]; its login stands in the netrc file."
        ),
        .optional(
            "source_address", \.path.sourceAddress, .machineAddress,
            "The address or interface of this machine to connect from."),
        .one("address_family", \.path.addressFamily, .choice, "Which addresses are used: any, ipv4 or ipv6."),
    ]
}
