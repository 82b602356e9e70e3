import TransferModel

extension ValueKind where Value == String {
    /// The SHA-256 of a public key, as curl(1) has it: `sha256//BASE64`.
    static var pinnedKey: ValueKind {
        ValueKind { text throws(Rejection) in
            let prefix = "sha256//"
            guard text.hasPrefix(prefix), text.hasSuffix("="),
                DigestText.isSHA256(text.dropFirst(prefix.utf8.count).dropLast())
            else {
                throw Rejection(
                    expected:
                        "sha256// and the base64 form of a public key's SHA-256, 44 characters that end in '='",
                    found: text)
            }
            return text
        } write: {
            $0
        }
    }

    /// A host key's fingerprint as ssh-keygen(1) prints it: `SHA256:BASE64`, without padding; one with it is taken too.
    static var hostKey: ValueKind {
        ValueKind { text throws(Rejection) in
            let bare = text.hasSuffix("=") ? String(text.dropLast()) : text
            let prefix = "SHA256:"
            guard bare.hasPrefix(prefix), DigestText.isSHA256(bare.dropFirst(prefix.utf8.count)) else {
                throw Rejection(
                    expected: "SHA256: and 43 characters, as 'ssh-keygen -l' prints a key's fingerprint",
                    found: text)
            }
            return bare
        } write: {
            $0
        }
    }
}

/// Digests in base64 (RFC 4648, section 4).
enum DigestText {
    /// Whether `text` is the only right way to write 32 bytes, without padding: programs compare such texts as they are.
    static func isSHA256(_ text: some StringProtocol) -> Bool {
        let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
        let digits = text.utf8.map(alphabet.firstIndex)
        guard digits.count == 43, digits.allSatisfy({ $0 != nil }) else { return false }
        // 32 bytes end within the last digit: its two lowest bits are zero.
        return digits.last.flatMap(\.self).map { $0 % 4 == 0 } ?? false
    }
}
