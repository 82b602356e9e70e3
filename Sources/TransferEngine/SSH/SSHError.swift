internal import CSSH

/// What libssh said: the text of its session, which may hold bytes that the server chose.
struct SSHError: Error, CustomStringConvertible {
    let text: [UInt8]

    init(_ text: String) { self.text = Array(text.utf8) }

    /// What went wrong last in `session`.
    init(session: OpaquePointer) {
        let said = ssh_get_error(UnsafeMutableRawPointer(session)).map { String(cString: $0) } ?? ""
        self.init(said.isEmpty ? "the connection was lost" : said)
    }

    var description: String { ForeignText.clean(text) }
}
