internal import TransferModel

extension RemoteFile {
    /// What a reply to SIZE says (RFC 3659, section 4); nil when it is a refusal for now.
    ///
    /// ``absent`` means that there is no such file; ``unknown`` that it is none of ours to look at.
    init?(size reply: ReplyLog.Entry) {
        switch reply.code {
        case 213:
            let digits = reply.text.drop { $0 == 0x20 }.prefix { $0 != 0x20 }
            self = Int64(String(decoding: digits, as: UTF8.self)).map(RemoteFile.size) ?? .unknown
        case 550, 553, 450: self = reply.forbids ? .unknown : .absent
        case 500...599: self = .unknown
        default: return nil
        }
    }
}

extension ReplyLog.Entry {
    /// Whether a refusal is about what we may do, and tells nothing of what is there: 550 means either (RFC 959, section
    /// 5.4), so that the server's words have to tell.
    var forbids: Bool {
        let words = String(decoding: text, as: UTF8.self).lowercased()
        guard !["no such", "not found", "not exist"].contains(where: words.contains) else { return false }
        return ["permission", "permitted", "denied", "not allowed", "forbidden"].contains(
            where: words.contains)
    }
}
