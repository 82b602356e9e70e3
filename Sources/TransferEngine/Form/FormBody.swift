internal import TransferModel

/// The layout of a multipart/form-data body (RFC 7578) of which every length is known before its first byte is sent.
struct FormBody: Hashable, Sendable {
    enum Segment: Hashable, Sendable {
        case bytes([UInt8])
        /// Exactly `length` bytes from the start of the form's file number `index`.
        case file(index: Int, length: Int64)

        var length: Int64 {
            switch self {
            case .bytes(let bytes): Int64(bytes.count)
            case .file(_, let length): length
            }
        }
    }

    let boundary: FormBoundary
    /// In order; the closing delimiter is not among them.
    let segments: [Segment]
    /// The last bytes of the body: without them no server has it whole.
    let closing: [UInt8]

    /// - Parameter sizes: of the files, in the order of their parts.
    init(parts: [FormPart], sizes: [Int64], boundary: FormBoundary) throws(Failure) {
        var segments: [Segment] = []
        var files = 0
        for (index, part) in parts.enumerated() {
            let header = try Self.header(of: part)
            let delimiter = (index == 0 ? "--" : "\r\n--") + boundary.text + "\r\n"
            switch part.content {
            case .text(let text):
                segments.append(.bytes(Array(delimiter.utf8) + header + Array(text.utf8)))
            case .file:
                precondition(files < sizes.count, "every file part has its size")
                segments.append(.bytes(Array(delimiter.utf8) + header))
                segments.append(.file(index: files, length: sizes[files]))
                files += 1
            }
        }
        self.boundary = boundary
        self.segments = segments
        closing = Array(((parts.isEmpty ? "--" : "\r\n--") + boundary.text + "--\r\n").utf8)
    }

    /// The Content-Length.
    var length: Int64 { segments.reduce(Int64(closing.count)) { $0 + $1.length } }

    var contentType: String { "multipart/form-data; boundary=\(boundary.text)" }

    private static func header(of part: FormPart) throws(Failure) -> [UInt8] {
        var header = Array("Content-Disposition: form-data; name=\"".utf8)
        header += escaped(part.name.utf8) + [UInt8(ascii: "\"")]
        if case .file(let file, let type, let filename) = part.content {
            let type = type ?? "application/octet-stream"
            guard !type.isEmpty, !type.utf8.contains(where: EscapedText.isControl) else {
                throw Failure(
                    .permanent,
                    text:
                        "the type of the part '\(EscapedText.escape(part.name.utf8))' is empty or has a control "
                        + "byte in it")
            }
            header += Array("; filename=\"".utf8) + escaped((filename ?? file.name).bytes)
            header += Array("\"\r\nContent-Type: \(type)".utf8)
        }
        return header + Array("\r\n\r\n".utf8)
    }

    /// A name as browsers write it (WHATWG HTML, "multipart/form-data encoding algorithm"): other bytes stay raw.
    private static func escaped(_ bytes: some Sequence<UInt8>) -> [UInt8] {
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
}
