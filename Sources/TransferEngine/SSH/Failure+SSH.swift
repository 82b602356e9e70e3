internal import TransferModel

extension Failure {
    /// The connection could not be made, or the login was not answered: the origin is away for now, unless the two
    /// sides have no algorithm in common.
    init(connecting error: SSHError, to origin: Origin) {
        let text = "\(error)"
        // libssh has no code of its own for it.
        let isHopeless =
            text.contains("no match for method") || text.contains("Too many authentication failures")
        self.init(
            isHopeless ? .permanent : .temporary, scope: isHopeless ? .login : .origin,
            text: "connecting to \(origin): \(text)")
        // sshd shuts its door without a word when too many knock (MaxStartups), or refuses the session (MaxSessions).
        isCrowded = !isHopeless
    }

    /// The connection broke in the middle of something.
    init(_ error: SSHError, doing: String) {
        self.init(.temporary, text: "\(doing): \(error)")
    }
}
