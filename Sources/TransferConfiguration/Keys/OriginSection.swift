import TransferModel

extension OriginSettings {
    static let keys: [ConfigurationKey<OriginSettings>] = [
        .list(
            "match", \.matches, .originPattern,
            "[SCHEME://][USER@]HOST[:PORT], '*' or '*.DOMAIN' as HOST (repeatable); the most specific match wins."
        ),
        .one("lanes", \.lanes, .number(1...1024), "Connections to one origin."),
        .one("tls", \.tls, .choice, "For ftp:// addresses: 'require' encrypts or fails, 'off' does not ask."),
        .optional("ca_file", \.trust.caFile, .path, "Certificates to trust instead of the system's, PEM."),
        .optional(
            "tls_max", \.trust.tlsMaximum, .choice,
            "The newest TLS version, 1.2 or 1.3; without it 1.2 for FTP, where 1.3 cuts files, else the newest."
        ),
        .one(
            "connect_timeout", \.connectTimeout, .duration(atLeast: .seconds(1)),
            "How long connecting and logging in may take."),
        .one(
            "stall_timeout", \.stallTimeout, .duration(atLeast: .seconds(1)),
            "How long the other side may be silent or move no byte."),
    ]
}
