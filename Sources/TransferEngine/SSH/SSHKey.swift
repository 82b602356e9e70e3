internal import CLinux
internal import CSSH
internal import Glibc
internal import TransferModel

/// A private key, in memory only as long as the login takes.
struct SSHKey: ~Copyable {
    let key: OpaquePointer
    /// Whether the passphrase was needed.
    let wasEncrypted: Bool

    /// Reads a key file as ssh-keygen(1) writes it.
    init(_ file: FilePath, passphrase: String?) throws(Failure) {
        guard file.withCString({ access($0, R_OK) }) == 0 else {
            throw Failure.system("cannot read the key file '\(file)'")
        }
        if let mode = Self.openMode(of: file) {
            throw Failure(
                .permanent, scope: .login,
                text:
                    "the key file '\(file)' is open to others than its owner (mode 0\(String(mode, radix: 8))); "
                    + "close it with: chmod 600")
        }
        if let key = Self.read(file, nil) {
            self.key = key
            wasEncrypted = false
        } else if let passphrase, let key = Self.read(file, passphrase) {
            self.key = key
            wasEncrypted = true
        } else {
            let advice =
                passphrase == nil
                ? "if it has a passphrase, that belongs into the credentials file as the login's password"
                : "it is damaged, of a kind unknown here, or its passphrase is not the login's password"
            throw Failure(
                .permanent, scope: .login, text: "the key file '\(file)' does not open: \(advice)")
        }
    }

    deinit { ssh_key_free(key) }

    /// The permission bits when somebody else than the owner may do anything with the file; nil when not, and for what
    /// the service manager keeps in `$CREDENTIALS_DIRECTORY` (systemd.exec(5)), whose group bits are those of an ACL.
    private static func openMode(of file: FilePath) -> UInt32? {
        let directory = getenv("CREDENTIALS_DIRECTORY").flatMap { FilePath(String(cString: $0)) }
        if directory.flatMap({ file.normalized.relative(to: $0.normalized) }) != nil { return nil }
        var status = stat()
        guard file.withCString({ stat($0, &status) }) == 0 else { return nil }
        let mode = status.st_mode & 0o7777
        return mode & 0o077 == 0 ? nil : mode
    }

    /// An empty passphrase where there is none: without one libssh would ask at the terminal.
    private static func read(_ file: FilePath, _ passphrase: String?) -> OpaquePointer? {
        var key: OpaquePointer?
        let code = file.withCString { ssh_pki_import_privkey_file($0, passphrase ?? "", nil, nil, &key) }
        return code == SSH_OK ? key : nil
    }
}
