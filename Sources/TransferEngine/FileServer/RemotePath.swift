internal import TransferModel

/// A path at a file server as bytes, without `.`, `..`, control bytes and empty names.
///
/// It is relative to the login's directory unless the address has an empty first segment or begins with `%2F`
/// (RFC 1738, section 3.2.2); for SFTP it is absolute unless the address begins with `/~/`, as in other programs that
/// take such addresses (draft-ietf-secsh-scp-sftp-ssh-uri-04, section 3.3).
struct RemotePath: Hashable, Sendable {
    let isAbsolute: Bool
    /// From the top; empty for the directory that the path starts from.
    let names: [[UInt8]]

    static let slash = UInt8(ascii: "/")

    init(isAbsolute: Bool, names: [[UInt8]]) {
        self.isAbsolute = isAbsolute
        self.names = names
    }

    /// Throws a permanent failure for an address that no server should be told. A slash at the end is passed over.
    init(_ url: TransferURL) throws(Failure) {
        let path = url.serverPath
        if let objection = url.objection(toNames: path.names) { throw Failure(.permanent, text: objection) }
        self.init(isAbsolute: path.isAbsolute, names: path.names)
    }

    /// The path that ``stored`` was made of.
    init(_ path: FilePath) {
        self.init(isAbsolute: path.isAbsolute, names: path.components.filter { $0 != [0x2e] })
    }

    /// As the job table keeps it.
    var stored: FilePath? { FilePath(bytes: bytes) }

    /// The last name; nil for the directory that paths start from, and for one that is too long to be a name.
    var name: FileName? { names.last.flatMap { FileName(bytes: $0) } }

    /// The directory that holds it; of the topmost one, itself.
    var parent: RemotePath { RemotePath(isAbsolute: isAbsolute, names: names.dropLast()) }

    /// The directories above it, from the top.
    var parents: [RemotePath] {
        names.indices.dropFirst().map { RemotePath(isAbsolute: isAbsolute, names: Array(names[..<$0])) }
    }

    /// Another name in the same directory.
    func renamed(_ name: FileName) -> RemotePath { parent.appending(name) }

    func appending(_ name: FileName) -> RemotePath {
        RemotePath(isAbsolute: isAbsolute, names: names + [name.bytes])
    }

    /// As a command names it; never empty. Some servers make a home directory of a `~` at the start of a path.
    var bytes: [UInt8] {
        let joined = Array(names.joined(separator: [Self.slash]))
        if isAbsolute { return [Self.slash] + joined }
        if joined.isEmpty { return [UInt8(ascii: ".")] }
        return joined.first == UInt8(ascii: "~") ? [UInt8(ascii: "."), Self.slash] + joined : joined
    }
}

extension RemotePath: CustomStringConvertible {
    var description: String { EscapedText.escape(bytes) }
}
