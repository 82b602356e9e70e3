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
    init(parts: [FilledPart], sizes: [Int64], boundary: FormBoundary) throws(Failure) {
        var segments: [Segment] = []
        var files = 0
        for (index, part) in parts.enumerated() {
            let delimiter = Array(((index == 0 ? "--" : "\r\n--") + boundary.text + "\r\n").utf8)
            let head = try delimiter + part.head()
            switch part.content {
            case .text(let text, _): segments.append(.bytes(head + text))
            case .file:
                precondition(files < sizes.count, "every file part has its size")
                segments.append(.bytes(head))
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
}
