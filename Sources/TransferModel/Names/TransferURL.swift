/// An absolute address of a scheme that transferd speaks, without a password and without control bytes.
///
/// For FTP and SFTP `?` and `#` are bytes of the name, since those schemes have neither query nor fragment; for HTTP
/// the fragment is dropped. Source: RFC 3986, RFC 1738 section 3.2.
public struct TransferURL: Hashable, Sendable, CustomStringConvertible {
    public let origin: Origin
    /// Everything after the authority as it was written (percent-encoded), from the first `/` on; may be empty.
    public let path: String

    /// Throws ``InvalidURL`` with a sentence that says what is wrong.
    public init(_ text: String) throws(InvalidURL) {
        guard !text.utf8.contains(where: { EscapedText.isControl($0) }) else {
            throw InvalidURL("the address has a control byte in it")
        }
        guard let separator = Self.separator(in: text) else {
            // What stands before an `@` may be a password: the text is not repeated.
            throw InvalidURL(
                text.contains("@")
                    ? "it is not an absolute address such as ftp://user@host/path"
                    : "'\(text)' is not an absolute address such as ftp://host/path")
        }
        let name = text[..<separator.lowerBound].lowercased()
        guard let scheme = Scheme(rawValue: name) else {
            throw InvalidURL(
                "'\(name)' is not one of \(Scheme.allCases.map(\.rawValue).joined(separator: ", "))")
        }
        let rest = text[separator.upperBound...]
        let end = rest.firstIndex { $0 == "/" || (scheme.isWeb && ($0 == "?" || $0 == "#")) }
        origin = try Self.origin(scheme, rest[..<(end ?? rest.endIndex)])
        let path = rest[(end ?? rest.endIndex)...]
        self.path = String(scheme.isWeb ? path.prefix { $0 != "#" } : path)
    }

    /// The address of the origin itself, without a path.
    public init(_ origin: Origin) { self.init(origin: origin, path: "") }

    private init(origin: Origin, path: String) {
        self.origin = origin
        self.path = path
    }

    /// Where `://` stands; looked for among bytes, since every claimed job has an address to be read.
    private static func separator(in text: String) -> Range<String.Index>? {
        let bytes = text.utf8
        guard let colon = bytes.firstIndex(of: UInt8(ascii: ":")) else { return nil }
        let end = bytes.index(colon, offsetBy: 3, limitedBy: bytes.endIndex)
        guard let end, bytes[colon..<end].elementsEqual("://".utf8) else { return text.firstRange(of: "://") }
        return colon..<end
    }

    private static func origin(_ scheme: Scheme, _ authority: Substring) throws(InvalidURL) -> Origin {
        var host = authority
        var user: String?
        if let at = authority.lastIndex(of: "@") {
            let login = authority[..<at]
            guard !login.contains(":") else {
                throw InvalidURL(
                    "an address must not hold a password: put it into the file that 'netrc =' names, as "
                        + "'machine HOST login USER password …', and leave USER@ in the address")
            }
            user = String(decoding: PercentEncoding.decode(login.utf8), as: UTF8.self)
            guard user?.utf8.contains(where: EscapedText.isControl) == false, user != "" else {
                throw InvalidURL("the user in the address is empty or has a control byte in it")
            }
            host = authority[authority.index(after: at)...]
        }
        let (name, port) = try split(host)
        return Origin(scheme: scheme, host: name, port: port, user: user)
    }

    private static func split(_ host: Substring) throws(InvalidURL) -> (String, Int?) {
        var name = host
        var port: Substring?
        if host.first == "[", let close = host.firstIndex(of: "]") {
            name = host[host.index(after: host.startIndex)..<close]
            let rest = host[host.index(after: close)...]
            guard rest.isEmpty || rest.first == ":" else {
                throw InvalidURL("what follows the ']' of the host is not a port")
            }
            port = rest.isEmpty ? nil : rest.dropFirst()
        } else if let colon = host.firstIndex(of: ":") {
            name = host[..<colon]
            port = host[host.index(after: colon)...]
        }
        guard !name.isEmpty, !name.utf8.contains(where: { $0 <= 0x20 || $0 == UInt8(ascii: "%") }) else {
            throw InvalidURL("the address names no valid host")
        }
        guard let port else { return (String(name), nil) }
        guard let number = Int(port), (1...65535).contains(number) else {
            // A password with a slash in it ends up here: the text is not repeated.
            throw InvalidURL("what follows the ':' of the host is not a port from 1 to 65535")
        }
        return (String(name), number)
    }

    /// The path without what a web address has behind a `?`.
    public var pathAlone: Substring { origin.scheme.isWeb ? path.prefix { $0 != "?" } : path[...] }

    /// What a web address has from its `?` on, byte for byte; empty where there is none.
    public var query: Substring { path[pathAlone.endIndex...] }

    /// The segments of the path, decoded: what stands between slashes. `ftp://h/a//b` has `a`, ``, `b`.
    public var segments: [[UInt8]] {
        let path = pathAlone
        guard !path.isEmpty else { return [] }
        return path.utf8.dropFirst().split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
            .map { PercentEncoding.decode($0) }
    }

    /// Whether the address names a directory: its path ends in `/` or is empty.
    public var isDirectory: Bool {
        let path = pathAlone
        return path.isEmpty || path.utf8.last == UInt8(ascii: "/")
    }

    /// The last segment as the name of a file; nil for a directory or a segment that can't be a name.
    public var fileName: FileName? {
        guard !isDirectory else { return nil }
        let last = pathAlone.utf8.split(separator: UInt8(ascii: "/")).last
        return last.flatMap { FileName(bytes: PercentEncoding.decode($0)) }
    }

    /// The address of `name` in this directory, encoded once; a query stays behind it.
    public func appending(_ name: FileName) -> TransferURL {
        let path = pathAlone
        let slash = path.utf8.last == UInt8(ascii: "/") ? "" : "/"
        return TransferURL(origin: origin, path: path + slash + PercentEncoding.encode(name.bytes) + query)
    }

    /// The same with another path: percent-encoded, from its `/` on.
    public func replacingPath(_ path: String) -> TransferURL { TransferURL(origin: origin, path: path) }

    /// The whole address, as it is stored and asked for; it never holds a password, but its query may hold a signature
    /// that is as good as one.
    public var text: String { beforePath + path }

    /// Scheme and authority.
    public var beforePath: String {
        let scheme = origin.scheme
        let bracketed = origin.host.utf8.contains(UInt8(ascii: ":")) ? "[\(origin.host)]" : origin.host
        let login = origin.user.map { PercentEncoding.encode(Array($0.utf8)) + "@" } ?? ""
        let port = origin.port == scheme.defaultPort ? "" : ":\(origin.port)"
        return "\(scheme.rawValue)://\(login)\(bracketed)\(port)"
    }

    /// The address as it is shown and logged: without what its query keeps secret.
    public var description: String { beforePath + pathAlone + SecretQuery.hidden(query) }
}

extension TransferURL: Codable {
    public init(from decoder: any Decoder) throws {
        self = try TransferURL(decoder.singleValueContainer().decode(String.self))
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(text)
    }
}

/// Why a text is no address that transferd takes, as one sentence.
public struct InvalidURL: Error, Equatable, CustomStringConvertible {
    public let description: String

    public init(_ description: String) { self.description = description }
}
