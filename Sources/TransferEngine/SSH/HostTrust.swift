internal import TransferModel

/// Whether a server is the one it should be, by pinned fingerprints or by known_hosts; nothing else makes it so.
struct HostTrust: Sendable {
    enum Verdict: Hashable, Sendable {
        case trusted
        /// Nothing is known of the host.
        case unknown
        /// The host has other keys; where that stands.
        case changed(at: String)
        /// The key must not be trusted any more.
        case revoked(at: String)
        /// None of the pinned fingerprints is this one.
        case notPinned
    }

    let host: String
    let port: Int
    let pins: [String]
    let known: [KnownHosts.Entry]
    /// The file that a new line belongs in.
    let file: FilePath

    func verdict(on key: HostKey) -> Verdict {
        guard pins.isEmpty else {
            return pins.map(Self.normalized).contains(Self.normalized(key.fingerprint))
                ? .trusted : .notPinned
        }
        let same = known.filter { $0.base64 == key.base64 }
        if let revoked = same.first(where: \.isRevoked) { return .revoked(at: revoked.place) }
        if !same.isEmpty { return .trusted }
        let others = known.filter { !$0.isRevoked }
        let other = others.first { $0.type == key.type } ?? others.first
        return other.map { .changed(at: $0.place) } ?? .unknown
    }

    /// The signatures that the server is asked for: those of keys that it is known by before all others.
    var algorithms: [String] {
        let valid = pins.isEmpty ? known.filter { !$0.isRevoked }.map(\.type) : []
        let preferred = HostKey.types.filter(valid.contains)
        return (preferred + HostKey.types.filter { !preferred.contains($0) }).flatMap(HostKey.algorithms)
    }

    /// Why the connection is not gone on with, and what a person can do; nil: it is trusted.
    func refusal(of key: HostKey) -> String? {
        let shown = "\(key.type) \(key.fingerprint)"
        let name = port == Scheme.sftp.defaultPort ? host : "[\(host)]:\(port)"
        switch verdict(on: key) {
        case .trusted: return nil
        case .unknown:
            return
                "the server's key is unknown (\(shown)): if its administrator confirms it, set 'host_key = "
                + "\(key.fingerprint)' for the origin, or add '\(name) \(key.type) \(key.base64)' to \(file)"
        case .changed(let place):
            return
                "THE SERVER'S KEY HAS CHANGED: it showed \(shown), but \(place) has another one. Somebody may be "
                + "listening in; if its administrator confirms the new key, replace that line"
        case .revoked(let place):
            return "THE SERVER'S KEY IS REVOKED: it showed \(shown), which \(place) says must not be trusted"
        case .notPinned:
            return
                "the server's key (\(shown)) is none of those that 'host_key' names; somebody may be listening in"
        }
    }

    /// Without the padding that some tools add.
    private static func normalized(_ fingerprint: String) -> Substring {
        fingerprint.prefix { $0 != "=" }
    }
}
