internal import TransferModel

/// How the paths of one job's server stand in requests.
///
/// The job's own address goes out as it was written, and its directory and its query with what is beside it, byte for
/// byte: a signature covers them. Everything else is encoded once.
struct WebPlace {
    private let url: TransferURL
    private let path: RemotePath?
    /// The directory of the address as it was written, with the slash behind it.
    private let directory: Substring

    init(_ url: TransferURL) {
        self.url = url
        path = try? RemotePath(url)
        directory = Self.directory(url.pathAlone)
    }

    /// The address asked for; `isCollection`: with a slash at its end.
    func address(of path: RemotePath, isCollection: Bool = false) -> TransferURL {
        url.replacingPath(text(path, isCollection) + url.query)
    }

    /// The same as another request's field names it: as the Host field has it, and without the query.
    func reference(to path: RemotePath, isCollection: Bool = false) -> String {
        let origin = Origin(scheme: url.origin.scheme, host: url.origin.host, port: url.origin.port)
        let address = TransferURL(origin).replacingPath(text(path, isCollection))
        return address.beforePath + address.requestTarget
    }

    /// Whether the address has a signature or something else behind its path, which other requests need not be made for.
    var hasQuery: Bool { !url.query.isEmpty }

    private func text(_ path: RemotePath, _ isCollection: Bool) -> String {
        var text = ""
        if path == self.path {
            text = String(url.pathAlone)
        } else if let name = path.names.last, path.parent == self.path?.parent {
            text = directory + PercentEncoding.encode(name)
        } else {
            text = "/" + path.names.map { PercentEncoding.encode($0) }.joined(separator: "/")
        }
        if !text.hasPrefix("/") { text = "/" + text }
        if isCollection, !text.hasSuffix("/") { text += "/" }
        return text
    }

    /// Up to the last slash behind which a name stands, be it encoded or not.
    private static func directory(_ path: Substring) -> Substring {
        var bytes = path.utf8[...]
        while bytes.last == RemotePath.slash { bytes = bytes.dropLast() }
        var index = bytes.endIndex
        while index > bytes.startIndex {
            let before = bytes[..<index]
            if before.last == RemotePath.slash { return path[..<index] }
            if before.count >= 3, String(decoding: before.suffix(3), as: UTF8.self).lowercased() == "%2f" {
                return path[..<index]
            }
            index = bytes.index(before: index)
        }
        return "/"
    }
}
