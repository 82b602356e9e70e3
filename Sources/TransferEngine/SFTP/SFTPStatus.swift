internal import TransferModel

/// What a server answers to most requests. Source: draft-ietf-secsh-filexfer-02, section 7.
struct SFTPStatus: Error, Hashable, Sendable {
    let code: UInt32
    let text: [UInt8]

    static let ok: UInt32 = 0
    static let endOfFile: UInt32 = 1
    static let noSuchFile: UInt32 = 2
    static let permissionDenied: UInt32 = 3
    static let failure: UInt32 = 4
    static let unsupported: UInt32 = 8

    var isSuccess: Bool { code == Self.ok }
    var isAbsent: Bool { code == Self.noSuchFile }

    /// The server's words, or those of the draft where it has none.
    var words: String {
        let said = ForeignText.clean(text)
        guard said.isEmpty else { return said }
        return switch code {
        case Self.endOfFile: "end of file"
        case Self.noSuchFile: "no such file"
        case Self.permissionDenied: "permission denied"
        case Self.failure: "failure"
        case 5: "bad message"
        case 6, 7: "the server has lost its own connection"
        case Self.unsupported: "operation unsupported"
        default: "status \(code)"
        }
    }

    /// Whether the words say that there is no room, for which the draft has no code.
    private var isFull: Bool {
        let text = String(decoding: text, as: UTF8.self).lowercased()
        return ["no space", "disk full", "quota", "not enough space"].contains { text.contains($0) }
    }
}

extension Failure {
    /// What a refusal means to its job: what is not there or not allowed stays so, all else may pass.
    ///
    /// `stores`: bytes were to be stored; a mere "failure" is what a full disk looks like then.
    init(_ status: SFTPStatus, doing: String, stores: Bool = false) {
        let isFinal = [SFTPStatus.noSuchFile, SFTPStatus.permissionDenied, SFTPStatus.unsupported]
            .contains(status.code)
        let mayBeFull = stores && status.code == SFTPStatus.failure
        self.init(
            isFinal ? .permanent : .temporary, code: Int(status.code),
            text: "\(doing): the server says '\(status.words)'"
                + (mayBeFull ? "; it may be full, or the quota used up" : ""))
    }
}
