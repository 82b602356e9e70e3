import Glibc
import TransferModel

/// Files with secrets in them: passwords and private keys.
enum SecretFile {
    /// What is wrong with who may do what with the file, as the end of a sentence; nil when nothing is.
    ///
    /// Below `protected`, `$CREDENTIALS_DIRECTORY`, the service manager sees to that.
    static func objection(to content: FileContent, _ path: FilePath, protected: FilePath?) -> String? {
        if protected.flatMap({ path.normalized.relative(to: $0.normalized) }) != nil { return nil }
        if content.mode & 0o077 != 0 {
            return "is open to others than its owner (mode \(octal(content.mode)));"
                + " close it with: chmod 600 \(quoted(path))"
        }
        if content.owner != geteuid() && content.owner != 0 {
            return "belongs to user \(content.owner), who is neither root nor the user"
                + " transferd runs as (\(geteuid()))"
        }
        return nil
    }

    private static func octal(_ mode: UInt32) -> String {
        let digits = String(mode, radix: 8)
        return String(repeating: "0", count: max(0, 4 - digits.count)) + digits
    }

    /// The path as a shell takes it.
    private static func quoted(_ path: FilePath) -> String {
        let text = "\(path)"
        let isPlain = text.utf8.allSatisfy { byte in
            (0x30...0x39).contains(byte) || (0x41...0x5a).contains(byte) || (0x61...0x7a).contains(byte)
                || "/._-+:@".utf8.contains(byte)
        }
        let pieces = text.split(separator: "'", omittingEmptySubsequences: false)
        return isPlain ? text : "'" + pieces.joined(separator: "'\\''") + "'"
    }
}
