internal import Synchronization
internal import TransferModel

/// Says once for each origin that a password travels without protection.
enum PlainPasswordNotice {
    private static let said = Mutex<Set<Origin>>([])

    /// The sentence, the first time it is due; nil for an https address, without a password, and later.
    static func take(_ origin: Origin, _ login: CredentialsTable.Login) -> String? {
        guard origin.scheme == .http, case .credentials = login else { return nil }
        let isFirst = said.withLock { $0.insert(origin).inserted }
        return isFirst ? "the password for \(origin) is sent without protection; use https" : nil
    }
}
