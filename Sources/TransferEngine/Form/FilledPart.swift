internal import TransferModel

/// One part of a form with nothing left open, as its bytes.
struct FilledPart: Hashable, Sendable {
    enum Content: Hashable, Sendable {
        case text([UInt8], type: String?)
        /// The next of the form's files.
        case file(type: String, filename: [UInt8], hasEncodedFilename: Bool)
    }

    let name: [UInt8]
    let content: Content
    var headers: [HeaderField] = []

    /// What stands before the content, from the first header field to the blank line; throws for what would break it.
    func head() throws(Failure) -> [UInt8] {
        var head = Array("Content-Disposition: form-data; name=\"".utf8)
        head += Self.escaped(name) + [UInt8(ascii: "\"")]
        var type: String?
        switch content {
        case .text(_, let own): type = own
        case .file(let own, let filename, let hasEncodedFilename):
            type = own
            head += Array("; filename=\"".utf8) + Self.escaped(filename) + [UInt8(ascii: "\"")]
            if hasEncodedFilename, let encoded = Self.encoded(filename) {
                head += Array("; filename*=\(encoded)".utf8)
            }
        }
        for line in (type.map { ["Content-Type: \($0)"] } ?? []) + headers.map({ "\($0.name): \($0.value)" })
        {
            guard !line.utf8.contains(where: EscapedText.isControl) else {
                throw Failure(
                    .permanent,
                    text: "the head of the part '\(EscapedText.escape(name))' has a control byte in it: "
                        + EscapedText.escape(line.utf8))
            }
            head += Array("\r\n\(line)".utf8)
        }
        return head + Array("\r\n\r\n".utf8)
    }

    /// A name as browsers write it (WHATWG HTML, "multipart/form-data encoding algorithm"): other bytes stay raw.
    private static func escaped(_ bytes: [UInt8]) -> [UInt8] {
        var escaped: [UInt8] = []
        for byte in bytes {
            switch byte {
            case 0x0a: escaped += Array("%0A".utf8)
            case 0x0d: escaped += Array("%0D".utf8)
            case 0x22: escaped += Array("%22".utf8)
            default: escaped.append(byte)
            }
        }
        return escaped
    }

    /// `UTF-8''na%20me` (RFC 8187, section 3.2); nil for a name that is no UTF-8.
    private static func encoded(_ bytes: [UInt8]) -> String? {
        String(validating: bytes, as: UTF8.self) == nil ? nil : "UTF-8''" + PercentEncoding.encode(bytes)
    }
}
