/// A form as a small writer of its own makes it from RFC 7578, to compare with.
public struct ReferenceForm: Sendable {
    public struct Part: Sendable {
        public let name: String
        public let content: TestContent
        /// nil: a text field.
        public let filename: String?
        public let type: String?

        /// A text field.
        public init(_ name: String, _ text: String, type: String? = nil) {
            self.init(name, .bytes(Array(text.utf8)), filename: nil, type: type)
        }

        /// A file.
        public init(_ name: String, _ content: TestContent, filename: String?, type: String?) {
            self.name = name
            self.content = content
            self.filename = filename
            self.type = type
        }

        /// The name as browsers write it.
        public var writtenName: String { Self.written(name) }
        public var writtenFilename: String? { filename.map(Self.written) }

        private static func written(_ name: String) -> String {
            name.unicodeScalars.map { scalar in
                switch scalar {
                case "\"": "%22"
                case "\r": "%0D"
                case "\n": "%0A"
                default: String(scalar)
                }
            }.joined()
        }
    }

    public let parts: [Part]

    public init(_ parts: [Part]) { self.parts = parts }

    /// The length and the SHA-256 of the whole body.
    public func body(boundary: String) -> (length: Int, sha256: String) {
        var digest = SHA256()
        var length = 0
        func add(_ bytes: [UInt8]) {
            length += bytes.count
            digest.update(bytes)
        }
        for part in parts {
            add(Array("--\(boundary)\r\nContent-Disposition: form-data; name=\"\(part.writtenName)\"".utf8))
            if let filename = part.writtenFilename { add(Array("; filename=\"\(filename)\"".utf8)) }
            if let type = part.type { add(Array("\r\nContent-Type: \(type)".utf8)) }
            add(Array("\r\n\r\n".utf8))
            part.content.forEachPiece(add)
            add(Array("\r\n".utf8))
        }
        add(Array("--\(boundary)--\r\n".utf8))
        return (length, digest.finish())
    }

    /// As a parser that keeps everything should find the parts.
    public var received: [ReceivedPart] {
        parts.map { part in
            ReceivedPart(
                name: Self.hexadecimal(part.writtenName),
                filename: part.writtenFilename.map(Self.hexadecimal),
                type: part.type, size: part.content.count, sha256: part.content.sha256)
        }
    }

    private static func hexadecimal(_ text: String) -> String {
        text.utf8.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }
}
