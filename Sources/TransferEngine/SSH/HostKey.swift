internal import CSSH

/// The public key that a server showed.
struct HostKey: Hashable, Sendable {
    /// As known_hosts names it: `ssh-ed25519`.
    let type: String
    /// The key as known_hosts has it.
    let base64: String
    /// `SHA256:` and base64 without padding, as ssh-keygen(1) prints it.
    let fingerprint: String
}

extension HostKey {
    /// The key of the server that `session` has exchanged keys with; nil before that.
    init?(session: OpaquePointer) {
        var shown: OpaquePointer?
        guard ssh_get_server_publickey(session, &shown) == SSH_OK, let key = shown else { return nil }
        defer { ssh_key_free(key) }
        var text: UnsafeMutablePointer<CChar>?
        guard ssh_pki_export_pubkey_base64(key, &text) == SSH_OK, let text else { return nil }
        defer { ssh_string_free_char(text) }
        guard let name = ssh_key_type_to_char(ssh_key_type(key)), let fingerprint = Self.fingerprint(of: key)
        else { return nil }
        type = String(cString: name)
        base64 = String(cString: text)
        self.fingerprint = fingerprint
    }

    private static func fingerprint(of key: OpaquePointer) -> String? {
        var hash: UnsafeMutablePointer<UInt8>?
        var length = 0
        guard ssh_get_publickey_hash(key, SSH_PUBLICKEY_HASH_SHA256, &hash, &length) == SSH_OK else {
            return nil
        }
        defer { ssh_clean_pubkey_hash(&hash) }
        guard let text = ssh_get_fingerprint_hash(SSH_PUBLICKEY_HASH_SHA256, hash, length) else { return nil }
        defer { ssh_string_free_char(text) }
        return String(cString: text)
    }

    /// The names of signatures that a key of a type in known_hosts makes (RFC 8332, section 3).
    static func algorithms(of type: String) -> [String] {
        type == "ssh-rsa" ? ["rsa-sha2-512", "rsa-sha2-256"] : [type]
    }

    /// What servers are asked for, the best first; no SHA-1.
    static let types = [
        "ssh-ed25519", "ecdsa-sha2-nistp256", "ecdsa-sha2-nistp384", "ecdsa-sha2-nistp521", "ssh-rsa",
    ]
}
