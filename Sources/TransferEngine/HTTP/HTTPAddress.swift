internal import TransferModel

extension TransferURL {
    /// The address as a request line takes it: without the user, and with no byte in it that RFC 3986 forbids.
    var requestText: String {
        let scheme = origin.scheme
        let bracketed = origin.host.contains(":") ? "[\(origin.host)]" : origin.host
        return "\(scheme.rawValue)://\(bracketed):\(origin.port)" + requestTarget
    }

    /// What of it stands in a request line: path and query.
    var requestTarget: String { Self.encodingForeign(path.hasPrefix("/") ? path : "/" + path) }

    /// Whether requests to both addresses go to the same server.
    func isSameServer(as other: TransferURL) -> Bool {
        origin.scheme == other.origin.scheme && origin.host == other.origin.host
            && origin.port == other.origin.port
    }
}

extension HeaderField {
    /// The line as libcurl takes it: a semicolon stands for an empty value.
    var line: String { value.isEmpty ? "\(name);" : "\(name): \(value)" }
}
