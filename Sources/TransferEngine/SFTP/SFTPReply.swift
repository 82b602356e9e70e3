/// One packet that came, with its fields behind the number of the request.
struct SFTPReply: Sendable {
    let message: SFTPMessage
    let fields: [UInt8]

    /// What the server says of the request; for an answer with content, success.
    var status: SFTPStatus {
        get throws(SFTPFormatError) {
            guard message == .statusReply else { return SFTPStatus(code: SFTPStatus.ok, text: []) }
            var reader = SFTPReader(fields)
            let code = try reader.number()
            // Old servers leave the words out.
            let text = reader.isAtEnd ? [] : Array(try reader.string())
            return SFTPStatus(code: code, text: text)
        }
    }

    /// The fields of an answer of that kind; throws the status where the server refused.
    func reader(of message: SFTPMessage) throws -> SFTPReader {
        if self.message == .statusReply {
            let status = try status
            if !status.isSuccess { throw status }
        }
        guard self.message == message else { throw SFTPFormatError() }
        return SFTPReader(fields)
    }

    /// Throws the status unless it is success.
    func check() throws {
        let status = try status
        guard message == .statusReply, status.isSuccess else { throw status }
    }
}
