/// The path of an address as servers have it.
extension TransferURL {
    /// The path's names from the top, and whether it starts at the server's root.
    ///
    /// For FTP it is relative to the login's directory unless the first segment is empty or begins with `%2F` (RFC 1738,
    /// section 3.2.2); for SFTP it is absolute unless the address begins with `/~/`, as in other programs that take such
    /// addresses (draft-ietf-secsh-scp-sftp-ssh-uri-04, section 3.3). For HTTP it is absolute, and an encoded slash is as
    /// good as a plain one, as stores of objects write them. Empty names, such as the one after a slash at the end, are
    /// passed over.
    public var serverPath: (isAbsolute: Bool, names: [[UInt8]]) {
        let slash = UInt8(ascii: "/")
        if origin.scheme.isWeb {
            return (true, segments.flatMap { $0.split(separator: slash) }.map(Array.init))
        }
        var segments = segments
        var isAbsolute = false
        if let first = segments.first, first.isEmpty || first.first == slash,
            segments.count > 1 || !first.isEmpty
        {
            isAbsolute = true
            segments[0] = Array(first.drop { $0 == slash })
        }
        if origin.scheme == .sftp {
            isAbsolute = segments.first != [UInt8(ascii: "~")]
            if !isAbsolute { segments.removeFirst() }
        }
        return (isAbsolute, segments.filter { !$0.isEmpty })
    }

    /// Why no server is told such a path, as a sentence; nil when it may be told.
    ///
    /// A control byte could end a command before its time; `.`, `..` and an encoded `/` lead to another place than the
    /// address seems to say.
    public var serverPathObjection: String? { objection(toNames: serverPath.names) }

    /// The same, of the names of ``serverPath``.
    public func objection(toNames names: [[UInt8]]) -> String? {
        if names.contains(where: { $0.contains(where: EscapedText.isControl) }) {
            return "\(self) has a control byte in its path; no server is told such a name"
        }
        let isMisleading: ([UInt8]) -> Bool = { name in
            name == [0x2e] || name == [0x2e, 0x2e] || name.contains(UInt8(ascii: "/"))
        }
        guard names.contains(where: isMisleading) else { return nil }
        return "\(self) has '.', '..' or an encoded '/' as or in a name of its path"
    }
}
