internal import TransferModel

extension RemoteFile {
    /// What a reply to SIZE says (RFC 3659, section 4); nil when it is a refusal for now.
    ///
    /// ``absent`` means that there is no such file, or that it is none of ours to see.
    init?(size reply: ReplyLog.Entry) {
        switch reply.code {
        case 213:
            let digits = reply.text.drop { $0 == 0x20 }.prefix { $0 != 0x20 }
            self = Int64(String(decoding: digits, as: UTF8.self)).map(RemoteFile.size) ?? .unknown
        case 550, 553, 450: self = .absent
        case 500...599: self = .unknown
        default: return nil
        }
    }
}
