internal import TransferModel

/// What a server said about the size of a file (SIZE: RFC 3659, section 4).
enum RemoteSize: Hashable {
    case bytes(Int64)
    /// There is no such file, or it is none of ours to see.
    case absent
    /// The server does not know the command, or speaks of it in words nobody understands.
    case unsupported

    /// nil when the reply is neither: a refusal for now.
    init?(_ reply: ReplyLog.Entry) {
        switch reply.code {
        case 213:
            let digits = reply.text.drop { $0 == 0x20 }.prefix { $0 != 0x20 }
            self = Int64(String(decoding: digits, as: UTF8.self)).map(RemoteSize.bytes) ?? .unsupported
        case 550, 553, 450: self = .absent
        case 500...599: self = .unsupported
        default: return nil
        }
    }
}
