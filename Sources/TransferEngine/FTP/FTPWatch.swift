/// Sees what goes over a control connection, for a person who wants to know.
final class FTPWatch {
    /// The TLS handshakes, of the data connections too.
    let handshakes = TLSObserver()
    private(set) var replies = ReplyLog()
    /// What the reply to FEAT says.
    private(set) var features = FTPFeatures()
    /// Whether the connection is to be left as soon as the server has shown itself, before anybody logs in.
    var leavesBeforeLogin = false
    /// Whether TLS is asked for with AUTH after the greeting.
    var expectsUpgrade = false

    func look(at request: inout Request) {
        request.observer = handshakes
        request.onLine = { self.take($0) }
    }

    private func take(_ bytes: UnsafeRawBufferPointer) -> Bool {
        replies.take(bytes)
        features.take(bytes)
        guard leavesBeforeLogin else { return true }
        switch replies.codes.last {
        case nil: return true
        case 220, 234: return expectsUpgrade
        case .some: return false
        }
    }

    /// The last reply with that code, in the server's words.
    func said(_ code: Int) -> String? {
        replies.entries.last { $0.code == code }.map { ForeignText.clean($0.text) }
    }

    /// How data connections are made, by the replies: `EPSV`, `PASV`; nil when none was seen.
    var passiveCommand: String? {
        switch replies.codes.last(where: { $0 == 229 || $0 == 227 }) {
        case 229: "EPSV"
        case 227: "PASV"
        case .some, nil: nil
        }
    }
}
