internal import TransferModel

/// What known_hosts files say about hosts and their keys. A value; reading files is its maker's business.
///
/// Keys of certificate authorities are passed over: a host certificate is not asked for. Source: sshd(8),
/// SSH_KNOWN_HOSTS FILE FORMAT.
struct KnownHosts: Sendable {
    struct Entry: Hashable, Sendable {
        let pattern: HostPattern
        let isRevoked: Bool
        let type: String
        let base64: String
        /// `FILE:LINE`, for sentences.
        let place: String
    }

    private(set) var entries: [Entry] = []

    /// Takes the lines of a file; those that cannot be read match no host.
    mutating func read(_ text: String, from file: String) {
        for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
            var fields = line.split(whereSeparator: { $0 == " " || $0 == "\t" || $0 == "\r" }).map(
                String.init)
            let marker = fields.first.flatMap { $0.hasPrefix("@") ? $0 : nil }
            if marker != nil { fields.removeFirst() }
            guard marker == nil || marker == "@revoked", fields.count >= 3, !fields[0].hasPrefix("#"),
                let pattern = HostPattern(fields[0])
            else { continue }
            entries.append(
                Entry(
                    pattern: pattern, isRevoked: marker != nil, type: fields[1], base64: fields[2],
                    place: "\(file):\(index + 1)"))
        }
    }

    /// What is said of a host at a port: under `[HOST]:PORT`, for port 22 under `HOST`.
    ///
    /// A key that stands there under the bare name alone counts for any of its ports, as ssh(1) has it.
    func entries(for host: String, port: Int) -> [Entry] {
        let host = host.lowercased()
        guard port != Scheme.sftp.defaultPort else { return entries.filter { $0.pattern.matches(host) } }
        let exact = entries.filter { $0.pattern.matches("[\(host)]:\(port)") }
        return exact.contains { !$0.isRevoked } ? exact : exact + entries.filter { $0.pattern.matches(host) }
    }
}
